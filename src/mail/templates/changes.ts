import type { Language, Words } from '#src/core/language.ts'
import type { Content } from '../compose.ts'
import { factsBlock, noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { organisationNumber, unlinked } from './wording.ts'
import { write } from './write.ts'

export type ChangesMail = {
  /** At once, or that of a day. */
  cadence: 'straks' | 'daglig'
  /** In the order they were first seen; `changes`: what is told of each, in few words. */
  companies: readonly { orgnr: string; name: string | null; changes: readonly Words[] }[]
  /** Changes that are not listed. */
  more: number
  /** Where all of it is, and where one chooses. */
  listUrl: string
  /** Ends all such mails. */
  stopUrl: string
}

/** What changed in companies that somebody watches. */
export function changesMail(
  { cadence, companies, more, listUrl, stopUrl }: ChangesMail,
  head: Letterhead,
): Content {
  const count = companies.reduce((sum, { changes }) => sum + changes.length, more)
  const [only] = companies
  const isOne = count === 1 && only !== undefined
  const isDaily = cadence === 'daglig'
  const rows = (language: Language) =>
    companies.map(
      ({ orgnr, name, changes }) =>
        [calledOf(orgnr, name), changes.map((each) => unlinked(each[language])).join('; ')] as const,
    )
  return {
    ...write(
      {
        subject: isOne
          ? `${unlinked(only.name ?? organisationNumber(only.orgnr))}: ${unlinked(only.changes[0]?.nb ?? '')}`
          : `${count} endringer i foretak du overvåker`,
        norsk: {
          title: isOne ? 'En endring i et foretak du overvåker' : `${count} endringer i foretak du overvåker`,
          blocks: [
            wordsBlock(isDaily ? 'Dette har vi sett siden forrige e-post:' : 'Dette har vi nettopp sett:'),
            factsBlock(...rows('nb')),
            ...(more > 0 ? [wordsBlock(`Og ${more} endringer til. Alle står i endringsloggen.`)] : []),
            {
              kind: 'button',
              label: 'Se listen din',
              url: listUrl,
              fallback: 'Eller åpne adressen:',
            },
            noteBlock('Du får dette fordi noen med nøkkelen din ba om det. Slutt å få slike e-poster:'),
            { kind: 'link', url: stopUrl },
          ],
          sender: `Hilsen ${head.name}`,
        },
        english: {
          title: isOne ? 'A change in a company you watch' : `${count} changes in companies you watch`,
          blocks: [
            wordsBlock(isDaily ? 'We have seen this since the mail before:' : 'We have just seen this:'),
            factsBlock(...rows('en')),
            ...(more > 0 ? [wordsBlock(`And ${more} changes more. All are in the change log.`)] : []),
            { kind: 'button', label: 'See your list', url: listUrl, fallback: 'Or open this address:' },
            noteBlock('You get this because somebody with your key asked for it. Stop these mails:'),
            { kind: 'link', url: stopUrl },
          ],
          sender: `Regards, ${head.name}`,
        },
      },
      head,
    ),
    unsubscribeUrl: stopUrl,
  }
}

function calledOf(orgnr: string, name: string | null): string {
  const number = organisationNumber(orgnr)
  return name === null ? number : `${unlinked(name)} (${number})`
}
