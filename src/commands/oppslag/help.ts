import type { HelpConfiguration, Option } from 'commander'

/** The words that commander itself adds to a help page, in the language of the rest. */
export const norwegianHelp: HelpConfiguration = {
  styleTitle: (title) => TITLES[title] ?? title,
  styleUsage: translated,
  styleSubcommandTerm: translated,
  optionDescription: ({ description, argChoices, defaultValue }: Option) => {
    const values = [
      ...(argChoices === undefined ? [] : [argChoices.join(', ')]),
      ...(defaultValue === undefined ? [] : [`ellers ${defaultValue}`]),
    ]
    return values.length === 0 ? description : `${description} (${values.join('; ')})`
  },
}

const TITLES: Record<string, string> = {
  'Usage:': 'Bruk:',
  'Options:': 'Valg:',
  'Commands:': 'Kommandoer:',
  'Arguments:': 'Argumenter:',
}

function translated(usage: string): string {
  return usage.replace('[options]', '[valg]').replace('[command]', '<kommando>')
}
