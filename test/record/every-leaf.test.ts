import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { merge } from '#src/record/merge.ts'
import type { Parts } from '#src/record/parts.ts'
import { askOf } from '#src/sources/ask.ts'
import { believeEnhet, believeUnderenhet } from '#src/sources/enhetsregisteret/believe-unit.ts'
import { konsern as konsernSource } from '#src/sources/enhetsregisteret/konsern.ts'
import { roller as rollerSource } from '#src/sources/enhetsregisteret/roles.ts'
import { prokura as prokuraSource, signatur as signaturSource } from '#src/sources/fullmakt/authority.ts'
import { regnskap as regnskapSource } from '#src/sources/regnskap/accounts.ts'
import type { Answer } from '#src/sources/source.ts'
import { answering, patient } from '../sources/asking.ts'
import { absent, accounts, enhet, fetchedAt, found, parts } from './parts.ts'

/**
 * Every leaf of every recorded answer: what the register says otherwise, the record says otherwise. A leaf that does not reach
 * it stands in one of the lists below, with the reason.
 */
const FOLDER = new URL('../../../shared/upstream/', import.meta.url)
const NOTHING_HERE = !existsSync(FOLDER)

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

/** A file, and the answer about one company in it. */
type Recorded = {
  name: string
  body: Json
  shown: (body: Json) => Promise<{ text: string; avvik: string[] }>
}

/** What is no answer about a company. */
const OTHER_FILES: [RegExp, string][] = [
  [/^oppdateringer-/, 'the change feed: says what to ask again, and is in no record'],
  [/^error-/, 'errors'],
  [/-gone-410/, 'the order to forget'],
  [/-empty/, 'an empty page'],
]

const NOT_IN_THE_RECORD: [RegExp, string][] = [
  [/\/_links\b/, 'addresses inside the register'],
  [/\/links\b/, 'the same, as older answers spell it'],
  [/^\/_note$/, 'ours: says that the illustration is not recorded'],
  [/^\/(organisasjonsnummer|respons_klasse)$/, 'whom the answer is about: another is refused'],
  [/^\/\d+\/virksomhet\/organisasjonsnummer$/, 'whom the answer is about: another is refused'],
  [
    /^\/enhet\/(organisasjonsnummer|navn|organisasjonsform|konkurs|under)/,
    'repeated from the unit register, which is asked itself',
  ],
  [/\/nivaa$/, 'wrong in one place of twenty; the tree says the same'],
  [/\/parent(Navn|Organisasjonsnummer)$/, 'said by the place above itself'],
  [/^\/oppslagsData\/oppslagsIdent$/, 'numbers our own look-up'],
  [/^\/oppslagsData\/oppslagsTidspunkt$/, 'stands in kilder, as the day it is as of'],
]

function recorded(): Recorded[] {
  const files = readdirSync(new URL('enhetsregisteret/', FOLDER))
  const units = files
    .filter((name) => !OTHER_FILES.some(([pattern]) => pattern.test(name)))
    .flatMap((name): Recorded[] => {
      const body = json(`enhetsregisteret/${name}`)
      if (/roller/.test(name)) return [{ name, body, shown: (other) => roller(name, other) }]
      if (name.startsWith('underenhet-')) return [{ name, body, shown: (other) => unit(other, 'underenhet') }]
      return hitsOf(body).map((hit, index) => ({
        name: `${name}, ${index}`,
        body: hit,
        shown: (other) => unit(other, 'enhet'),
      }))
    })
  const filings = ['regnskap-923609016-usd-6filings-2026-10', 'official-test-OrgnrResponseDefault'].map(
    (name) => {
      const body = json(`regnskap/${name}.json`)
      return { name, body, shown: (other: Json) => regnskap(body, other) }
    },
  )
  const authorities = (['signatur', 'prokura'] as const).map((kind) => {
    const name = kind === 'signatur' ? 'fullmakt-signatur' : 'fullmakt-prokura-none'
    const body = json(`illustrative/${name}.json`)
    return { name, body, shown: (other: Json) => fullmakt(kind, other) }
  })
  const group = json('../upstream-sections/konsernstruktur-923609016-equinor-trimmed.json')
  return [...units, ...filings, ...authorities, { name: 'konsernstruktur', body: group, shown: konsern }]
}

function json(name: string): Json {
  return JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))
}

/** A page of a search lists whole units; any other file is one. */
function hitsOf(body: Json): Json[] {
  const page = body as { _embedded?: { enheter?: Json[] } }
  return page._embedded?.enheter ?? [body]
}

const asked = (digits: unknown) => String(digits) as Organisasjonsnummer

async function unit(body: Json, unitFrom: 'enhet' | 'underenhet') {
  const believe = unitFrom === 'enhet' ? believeEnhet : believeUnderenhet
  const { value, avvik } = believe(unitFrom, body)
  const above = value.overordnetEnhet ?? null
  const parent = above === null ? null : { organisasjonsnummer: above, answer: absent }
  return { text: record({ unit: found(value), unitFrom, parent }), avvik }
}

async function roller(name: string, body: Json) {
  const { _links } = json(`enhetsregisteret/${name}`) as { _links?: Json }
  const about = /\/enheter\/(\d{9})/.exec(JSON.stringify(_links ?? null))?.[1]
  const client = answering({ body: body as object })
  return shownIn('roller', await askOf(rollerSource, client)(asked(about), patient()))
}

async function fullmakt(kind: 'signatur' | 'prokura', body: Json) {
  const client = answering({ body: body as object })
  const ask = askOf(kind === 'signatur' ? signaturSource : prokuraSource, client)
  return shownIn(kind, await ask(asked('999999999'), patient()))
}

async function konsern(body: Json) {
  const client = answering({ body: body as object })
  const answer = await askOf(konsernSource, client)(asked('923609016'), patient())
  if (answer.outcome !== 'found') throw new Error(`expected a group, found ${answer.outcome}`)
  const unit = found(enhet({ organisasjonsnummer: '923609016' }))
  const text = record({ unit, konsern: { ...answer, fetchedAt }, alone: 'konsern' })
  return { text, avvik: answer.avvik }
}

async function regnskap(body: Json, other: Json) {
  const [first] = body as { virksomhet: { organisasjonsnummer: string } }[]
  const client = answering({ body: other as object })
  const answer = await askOf(regnskapSource, client)(asked(first?.virksomhet.organisasjonsnummer), patient())
  if (answer.outcome !== 'found') throw new Error(`expected accounts, found ${answer.outcome}`)
  return { text: record({ regnskap: accounts(answer.value) }), avvik: answer.avvik }
}

function shownIn(part: 'roller' | 'signatur' | 'prokura', answer: Answer<unknown>) {
  if (answer.outcome !== 'found') throw new Error(`expected an answer, found ${answer.outcome}`)
  return { text: record({ [part]: { ...answer, fetchedAt } }), avvik: answer.avvik }
}

/** All that is said of the company; where it comes from is another matter. */
function record(changes: Partial<Parts>): string {
  const { kilder: _, ...facts } = merge(parts(changes))
  return JSON.stringify(facts)
}

type Leaf = { path: string; value: Json; changed: () => Json }

function leavesOf(body: Json, path = '', put: (other: Json) => Json = (other) => other): Leaf[] {
  if (typeof body !== 'object' || body === null) {
    return [{ path, value: body, changed: () => put(anotherLike(body)) }]
  }
  if (Array.isArray(body)) {
    return body.flatMap((item, at) =>
      leavesOf(item, `${path}/${at}`, (other) =>
        put(body.map((each, index) => (index === at ? other : each))),
      ),
    )
  }
  return Object.entries(body).flatMap(([name, part]) =>
    leavesOf(part, `${path}/${name}`, (other) => put({ ...body, [name]: other })),
  )
}

/** Another value of the same kind: what the register might as well have said. */
function anotherLike(value: Json): Json {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  if (typeof value !== 'string') return value
  if (value === 'SELSKAP' || value === 'KONSERN') return value === 'SELSKAP' ? 'KONSERN' : 'SELSKAP'
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return '2001-02-03'
  if (/^\d{4}-\d{2}-\d{2} /.test(value)) return '2001-02-03 04:05:06'
  if (/^\d{2}\.\d{2}\.\d{4}$/.test(value)) return '03.02.2001'
  if (/^\d{4}$/.test(value)) return '2001'
  if (/^\d{9}$/.test(value)) return '222222222'
  return `${value}ø`
}

describe.skipIf(NOTHING_HERE)(
  'P71: every leaf of the recorded answers (skipped without ../shared/upstream)',
  () => {
    for (const { name, body, shown } of NOTHING_HERE ? [] : recorded()) {
      it(`is in the record, or on a list with the reason why not: ${name}`, async () => {
        const before = await shown(body)
        const lost: string[] = []
        const unread: string[] = []
        for (const { path, value, changed } of leavesOf(body)) {
          // What is not there, or blank, says nothing that could be lost.
          if (value === null || value === '') continue
          if (NOT_IN_THE_RECORD.some(([pattern]) => pattern.test(path))) continue
          if (isSaidByTheNumber(path, body)) continue
          const after = await shown(changed())
          if (after.avvik.length > before.avvik.length) unread.push(path)
          if (after.text === before.text) lost.push(path)
        }
        expect({ lost, unread }).toEqual({ lost: [], unread: [] })
      })
    }
  },
)

/** Where the number of employees stands, that there are some is no fact of its own. */
function isSaidByTheNumber(path: string, body: Json): boolean {
  return (
    path === '/harRegistrertAntallAnsatte' && (body as { antallAnsatte?: Json }).antallAnsatte !== undefined
  )
}
