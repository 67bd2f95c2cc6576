import type { AnswersCatalogue, CompanyAnswers } from '#src/samples/answers.ts'
import { faultsOfPage } from './announcement-judge.ts'
import { ABOUT, announcementPages } from './announcement-pages.ts'
import { type Drift, drifted, driftsOf } from './drift.ts'
import { faultsOf, unsaidIn } from './judge.ts'
import { createReader } from './reader.ts'

/** What was tried, and what was found wrong: each fault once, with the first place it was seen at and how often it was seen. */
export type Judgement = { tried: number; faults: Map<string, { first: string; times: number }> }

/**
 * Reads the companies of a catalogue with one field of one answer changed, in every way there is, and judges what is said.
 *
 * @param where `each company`: every field of every company. `each place`: every field that any company has, in every way, in the
 *   first company that has it
 */
export async function judgeDrifts(
  catalogue: AnswersCatalogue,
  where: 'each company' | 'each place',
): Promise<Judgement> {
  const reader = await createReader(catalogue)
  const judgement: Judgement = { tried: 0, faults: new Map() }
  const tried = new Set<string>()
  for (const [orgnr, answers] of catalogue.companies) {
    const before = await reader.read(orgnr)
    for (const [source, answer] of bodiesOf(answers)) {
      for (const drift of driftsOf(answer.json)) {
        const place = `${source} ${whereOf(drift)} ${typeOf(drift.now)}`
        if (where === 'each place' && tried.has(place)) continue
        tried.add(place)
        judgement.tried += 1
        const json = drifted(answer.json, drift)
        const after = await reader.read(orgnr, { [source]: { ...answer, json } })
        for (const fault of faultsOf({ source, drift, answer: json, known: catalogue.klass, before, after }))
          note(judgement, `${source} ${whereOf(drift)}: ${fault}`, `${orgnr} ${drift.pointer}`)
      }
    }
  }
  return judgement
}

/** Reads a company whose announcements stand on each of the pages, and judges what is said of them. */
export async function judgePages(catalogue: AnswersCatalogue, every: number): Promise<Judgement> {
  const reader = await createReader(catalogue)
  const judgement: Judgement = { tried: 0, faults: new Map() }
  let place = 0
  for (const page of announcementPages()) {
    place += 1
    if (place % every !== 0) continue
    judgement.tried += 1
    const { record } = await reader.read(ABOUT, { kunngjoringer: { status: 200, html: page.html } })
    const { kunngjoringer, kilder } = JSON.parse(record)
    const said = {
      tilstand: kunngjoringer.tilstand,
      kunngjoringer: kunngjoringer.data?.kunngjoringer ?? null,
      avvik: kilder.kunngjoringer.avvik,
    }
    for (const fault of faultsOfPage(page, said)) note(judgement, fault, page.drift)
  }
  return judgement
}

/** What of companies whose answers are all in order is not answered, is not known, or is said to be unreadable. */
export async function judgeWhole(catalogue: AnswersCatalogue): Promise<string[]> {
  const reader = await createReader(catalogue)
  const faults: string[] = []
  for (const [orgnr, { enhet, underenhet, regnskap }] of catalogue.companies) {
    const { status, record } = await reader.read(orgnr)
    const expected = (enhet ?? underenhet)?.status ?? 404
    if (status !== expected) faults.push(`${orgnr} is ${status}`)
    if (record === '') continue
    const { navn, kilder } = JSON.parse(record)
    for (const [section, { tilstand, avvik }] of Object.entries<{ tilstand: string; avvik: string[] }>(
      kilder,
    )) {
      // A general error text stands for an outage as well.
      const mayBeAway = section === 'regnskap' && regnskap?.status === 500
      if (tilstand === 'utilgjengelig' && !mayBeAway) faults.push(`${navn}: ${section} is not known`)
      faults.push(...avvik.map((path) => `${navn}: ${section} ${path}`))
    }
  }
  return faults
}

/** What the records say that no answer says, company by company. */
export async function judgeRecords(catalogue: AnswersCatalogue): Promise<string[]> {
  const reader = await createReader(catalogue)
  const all = [...catalogue.companies.values()]
  const parents = all.flatMap(({ enhet, underenhet }) => [enhet, underenhet])
  const unsaid: string[] = []
  for (const [orgnr, answers] of catalogue.companies) {
    const { record } = await reader.read(orgnr)
    if (record === '') continue
    unsaid.push(
      ...unsaidIn(record, [orgnr, answers, catalogue.klass, parents]).map((said) => `${orgnr} ${said}`),
    )
  }
  return unsaid
}

function bodiesOf(answers: CompanyAnswers) {
  return Object.entries(answers).flatMap(([source, answer]) =>
    'json' in answer && typeof answer.json === 'object' && answer.json !== null
      ? [[source, { status: answer.status, json: answer.json }] as const]
      : [],
  )
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

/** The same field of one list's items is one place. */
function whereOf({ kind, pointer }: Drift): string {
  return `${pointer.replace(/\/\d+(?=\/|$)/g, '/*')} (${kind})`
}

function note({ faults }: Judgement, fault: string, where: string): void {
  const kind = fault.replace(/\d+/g, '#').slice(0, 200)
  const seen = faults.get(kind)
  faults.set(kind, {
    first: seen?.first ?? `${where}: ${fault.slice(0, 300)}`,
    times: (seen?.times ?? 0) + 1,
  })
}
