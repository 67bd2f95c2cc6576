import type { Language } from '#src/core/language.ts'
import { clientCode } from './client-code.ts'
import { type Contents, pathOf, type Type } from './contents.ts'
import type { DocumentedCall } from './operations.ts'
import type { DocumentedField } from './schema.ts'

/** The same call as Markdown, for programs that read and for people who keep it. */
export function operationMarkdown(operation: DocumentedCall, url: string): string {
  const { method, path, title, description, parameters, answers } = operation
  return [
    `# ${title}`,
    `\`${method} ${path}\``,
    description,
    fence(clientCode(operation, url).curl, 'sh'),
    parameters.length === 0 ? '' : `## Parametre / parameters\n\n${list(parameters)}`,
    ...answers
      .filter(({ status }) => status.startsWith('2'))
      .map(
        ({ status, type, fields }) => `## ${status}${type === null ? '' : `: ${type}`}\n\n${list(fields)}`,
      ),
    `## Andre svar / other answers\n\n${answers
      .filter(({ status }) => !status.startsWith('2'))
      .map(({ status, description: codes }) => `- ${status}: ${codes}`)
      .join('\n')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

export function typeMarkdown({ name, description, told, fields }: Type): string {
  const body = fields.length > 0 ? list(fields) : `\`${told}\``
  return `${[`# ${name}`, description, body].filter((part) => part !== '').join('\n\n')}\n`
}

/** Where a program that reads begins (llmstxt.org): what there is, each with the address of its Markdown. */
export function llmsText({ guides, operations }: Contents, language: Language, url: string): string {
  const suffix = language === 'en' ? '?lang=en' : ''
  const link = (title: string, path: string) => `- [${title}](${url}${path}.md${suffix})`
  return [
    '# Bedriftsoppslag',
    '',
    language === 'nb'
      ? '> Ett komplett og ærlig svar om et norsk foretak, samlet fra de offentlige registrene. Ukjent er aldri «ingen».'
      : '> One complete and honest record of a Norwegian company, assembled from the public registers. Unknown is never "none".',
    '',
    language === 'nb' ? '## Les' : '## Read',
    '',
    ...guides.map(({ slug, title }) => link(title, `/dokumentasjon/${slug}`)),
    '',
    language === 'nb' ? '## Kall' : '## Calls',
    '',
    ...operations.map(
      ({ id, method, path, title }) => `${link(`${method} ${path}`, pathOf.operation(id))}: ${title}`,
    ),
    '',
    `- [OpenAPI](${url}/openapi.json)`,
    '',
  ].join('\n')
}

function list(fields: readonly DocumentedField[], indent = ''): string {
  return fields
    .map(({ name, type, isNullable, standard, description, fields: within }) => {
      const line = `${indent}- \`${name}\` ${type}${isNullable ? ' | null' : ''}${standard === null ? '' : ` = ${standard}`}${description === '' ? '' : `: ${description}`}`
      return within.length === 0 ? line : `${line}\n${list(within, `${indent}  `)}`
    })
    .join('\n')
}

function fence(text: string, language: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
