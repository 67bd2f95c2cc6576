import { readFileSync } from 'node:fs'
import { policy } from '#config/policy.ts'
import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { changeTypes } from '#src/changes/change-types.ts'
import type { Language, Words } from '#src/core/language.ts'
import { sectionFields } from '#src/record/fields.ts'
import { LIVING } from '#src/samples/living.ts'
import { SAMPLE, type SampleName } from '#src/samples/numbers.ts'
import { problems } from '../../http/problems.ts'
import { examples } from '../example-words.ts'
import { orgnrText } from '../record-view/wording.ts'

/** A page of the documentation as it was written: Markdown, its first line the title. */
export type Guide = { slug: string; title: string; markdown: string }

/** In the order they are read. The first is what `/dokumentasjon` opens with. */
export const GUIDES = [
  'kom-i-gang',
  'sandkasse',
  'nokler',
  'tilstander',
  'ferskhet',
  'mange',
  'varsling',
  'webhooks',
  'sider',
  'klienter',
  'feil',
] as const

export type GuideSlug = (typeof GUIDES)[number]

/** @param url where the service is reached: the calls in the text can be run as they stand */
export function readGuide(slug: GuideSlug, language: Language, url: string): Guide {
  const markdown = textOf(slug, language)
    .replaceAll('{{url}}', url)
    .replaceAll('{{orgnr}}', SAMPLE.healthy)
    .replaceAll('{{nokkel}}', PUBLIC_TEST_KEY)
    .replaceAll('{{testdager}}', String(policy.sales.testKeys.validDays))
    .replaceAll('{{eksempler}}', exampleTable(language))
    .replaceAll('{{endringstyper}}', typeTable(language))
    .replaceAll('{{seksjoner}}', sectionFields.map((name) => `\`${name}\``).join(', '))
  return { slug, title: /^# (.+)$/m.exec(markdown)?.[1] ?? slug, markdown }
}

function textOf(slug: GuideSlug, language: Language): string {
  if (slug === 'feil') return problemGuide(language)
  return readFileSync(new URL(`guides/${slug}.${language}.md`, import.meta.url), 'utf8')
}

function problemGuide(language: Language): string {
  const rows = Object.entries(problems).map(
    ([kode, { status, title }]) =>
      `| [\`${kode}\`](/dokumentasjon/feil/${kode}) | ${status} | ${title[language]} |`,
  )
  return [...opening[language], ...rows, ''].join('\n')
}

const opening: Record<Language, readonly string[]> = {
  nb: [
    '# Feil',
    '',
    'En feil er `application/problem+json` (RFC 9457) med en `kode` som ikke endres. Bruk `kode`, ikke teksten. Teksten er på engelsk når `Accept-Language` ber om det, `type` er adressen til en side om koden, og `foresporselId` er det vi finner kallet igjen på.',
    '',
    '## Prøve igjen',
    '',
    '429 og 503 har `Retry-After` i sekunder: vent så lenge, og prøv igjen. Andre feil svarer likt neste gang.',
    '',
    '## Alle kodene',
    '',
    '| kode | status | |',
    '|---|---|---|',
  ],
  en: [
    '# Problems',
    '',
    'A problem is `application/problem+json` (RFC 9457) with a `kode` that does not change. Go by `kode`, not by the text. The text is English when `Accept-Language` asks for it, `type` is the address of a page about the code, and `foresporselId` is what we find the call again by.',
    '',
    '## Trying again',
    '',
    '429 and 503 have `Retry-After` in seconds: wait for so long and try again. Other problems are answered alike the next time.',
    '',
    '## All codes',
    '',
    '| code | status | |',
    '|---|---|---|',
  ],
}

/** What a client must handle, each with a number that shows it. */
const SHOWN: readonly SampleName[] = [
  'healthy',
  'usd',
  'soleProprietor',
  'foreignBranch',
  'bank',
  'subUnit',
  'noted',
  'bankrupt',
  'forcedDissolution',
  'deleted',
  'removed',
  'stale',
  'sourceAway',
]

function exampleTable(language: Language): string {
  const rows = [
    ...SHOWN.map((name) => [SAMPLE[name], examples[name][language]] as const),
    ...Object.entries(LIVING).map(
      ([name, orgnr]) => [orgnr, living[name as keyof typeof LIVING][language]] as const,
    ),
  ]
  return [
    '| | |',
    '|---|---|',
    ...rows.map(([orgnr, text]) => `| \`${orgnrText(orgnr)}\` | ${text.replaceAll('|', '\\|')} |`),
  ].join('\n')
}

function typeTable(language: Language): string {
  const rows = changeTypes.map(({ type, title }) => `| \`${type}\` | ${title[language]} |`)
  return ['| | |', '|---|---|', ...rows].join('\n')
}

/** What changes by the clock, and what is never answered as one would wish. */
const living: Record<keyof typeof LIVING, Words> = {
  renamed: {
    nb: 'Får nytt navn hvert tiende minutt; det forrige står i historiskeNavn.',
    en: 'Has a new name every ten minutes; the one before is in historiskeNavn.',
  },
  bankruptAtNoon: {
    nb: 'Konkurs fra 12 til 13 UTC hver dag, ellers aktiv.',
    en: 'Bankrupt from 12 to 13 UTC every day, otherwise active.',
  },
  slow: { nb: 'Svarer etter fem sekunder.', en: 'Answers after five seconds.' },
  tooMany: { nb: '429 med Retry-After.', en: '429 with Retry-After.' },
  unavailable: { nb: '503 med Retry-After.', en: '503 with Retry-After.' },
}
