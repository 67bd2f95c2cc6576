import { expect } from 'vitest'
import type { CompanyAnswers } from '#src/samples/answers.ts'
import { SAMPLE } from '../fixtures/samples/index.ts'
import { eventually } from './eventually.ts'
import { type Fleet, type Front, fronts, type Member } from './fleet.ts'
import { copyOf } from './invented-companies.ts'
import type { RegisterStandIn } from './register-stand-in.ts'

/** What whoever asked was told. No status: nothing, since who was asked went away. */
export type Told = { status: number | null; text: string }

/** Something that every process has to come to know of. */
export type Act = {
  /** Asked of a member's operators' side; it may be asked for again. Null: the registers' feed says it, and nobody is told. */
  readonly give: ((to: Member) => Promise<Told>) | null
  hasReached(front: Front): Promise<boolean>
}

export const given = ['revoke', 'tune', 'purge softly', 'purge', 'erase'] as const
export type Given = (typeof given)[number]
export type Acts = Record<Given, Act & { give: (to: Member) => Promise<Told> }> &
  Record<'changed' | 'removed', Act>

export type Prepared = {
  readonly acts: Acts
  /** The registers' feed tells of the changed and of the removed company. @returns the last event's id */
  publish(): number
  /** The companies that are erased, and a word that stands in what was known of each and nowhere else. */
  readonly erased: readonly { orgnr: string; word: string }[]
}

export const COMPANIES_PER_CASE = 5

/**
 * A key and five companies for one act each. Every front has let the key in and holds the companies as they were; the
 * registers know better by now.
 *
 * @param options `tunedToSeconds`: the fresh time of the announcements, in hours rather than minutes and not what it was
 */
export async function prepareActs(
  fleet: Fleet,
  register: RegisterStandIn,
  {
    sample,
    numbers,
    tunedToSeconds,
  }: {
    sample: CompanyAnswers
    numbers: readonly string[]
    tunedToSeconds: number
  },
): Promise<Prepared> {
  const [soft = '', hard = '', erased = '', changed = '', removed = ''] = numbers
  const key = await fleet.issue()

  function know(orgnr: string, word: 'GAMMEL' | 'NY'): void {
    const words = { 'TINDEVÅG SJØMAT AS': `${word}${orgnr} AS`, Øvrebø: `${word}${orgnr}` }
    for (const [source, answer] of Object.entries(copyOf(sample, SAMPLE.healthy, orgnr, words)))
      register.set(orgnr, source as 'enhet', answer)
  }

  async function ask(front: Front, path: string, token = fleet.token) {
    const answer = await fetch(fleet.addressOf(front).front + path, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const company = (front: Front, orgnr: string) => ask(front, `/api/bedrift/${orgnr}`)
  const answerToKey = async (front: Front) => (await ask(front, '/api/bedrift/status', key.token)).status

  const serves = (orgnr: string, word: 'GAMMEL' | 'NY') => async (front: Front) => {
    const { status, text } = await company(front, orgnr)
    if (status !== 200) return false
    const { navn, adresser } = JSON.parse(text)
    return navn === `${word}${orgnr} AS` && adresser.tilstand === 'fersk'
  }
  const isGone = (orgnr: string) => async (front: Front) => {
    const { status, text } = await company(front, orgnr)
    return status === 410 && !text.includes(`GAMMEL${orgnr}`)
  }

  for (const orgnr of numbers) know(orgnr, 'GAMMEL')
  // What did not come in time when it was read first is asked for again soon, so that what is held of it is of no long life.
  await eventually('what is held of another is whole', async () => {
    const held = await Promise.all(fronts.map((front) => company(front, SAMPLE.healthy)))
    return held.every(({ text }) => JSON.parse(text).komplett === true)
  })
  for (const front of fronts) {
    expect(await answerToKey(front)).toBe(200)
    for (const orgnr of numbers) expect(await serves(orgnr, 'GAMMEL')(front)).toBe(true)
  }
  for (const orgnr of [soft, hard, changed]) know(orgnr, 'NY')

  return {
    acts: {
      revoke: {
        give: (to) => post(fleet, to, '/nokler/tilbakekall', { id: key.id }),
        hasReached: async (front) => (await answerToKey(front)) === 401,
      },
      tune: {
        async give(to) {
          const state = await askOperators(fleet, to, '/levetider.json')
          if (state.status !== 200) return state
          const base = String(JSON.parse(state.text).stilling.newest)
          const form = { navn: 'kunngjoringer.fersk', verdi: String(tunedToSeconds), base }
          return post(fleet, to, '/levetider', form)
        },
        async hasReached(front) {
          const { headers } = await company(front, SAMPLE.healthy)
          const ttl = Number(/ttl=(-?\d+)/.exec(headers.get('cache-status') ?? '')?.[1])
          // Fresh times are spread by a tenth to either side, and it was fetched some minutes ago.
          return ttl <= tunedToSeconds * 1.1 && ttl > tunedToSeconds * 0.7
        },
      },
      'purge softly': {
        give: (to) => post(fleet, to, '/foretak/foreld', { orgnr: soft }),
        hasReached: serves(soft, 'NY'),
      },
      purge: {
        give: (to) => post(fleet, to, '/foretak/glem', { orgnr: hard }),
        hasReached: serves(hard, 'NY'),
      },
      erase: {
        give: (to) => post(fleet, to, '/foretak/slett', { orgnr: erased, bekreft: erased }),
        hasReached: isGone(erased),
      },
      changed: { give: null, hasReached: serves(changed, 'NY') },
      removed: { give: null, hasReached: isGone(removed) },
    },
    publish() {
      for (const source of Object.keys(sample)) register.set(removed, source as 'enhet', null)
      const json = { respons_klasse: 'FjernetEnhet', organisasjonsnummer: removed, slettedato: '2026-11-01' }
      register.set(removed, 'enhet', { status: 410, json })
      register.publish('enheter', { organisasjonsnummer: changed, endringstype: 'Endring', endringer: [] })
      return register.publish('enheter', { organisasjonsnummer: removed, endringstype: 'Fjernet' })
    },
    erased: [erased, removed].map((orgnr) => ({ orgnr, word: `GAMMEL${orgnr}` })),
  }
}

/** Done, as a page says it. */
export function isDone({ status }: Told): boolean {
  return status === 200 || status === 303
}

function post(fleet: Fleet, to: Member, path: string, form: Record<string, string>): Promise<Told> {
  return askOperators(fleet, to, path, {
    method: 'POST',
    body: new URLSearchParams({ ...form, hvorfor: 'en prøve' }),
  })
}

async function askOperators(fleet: Fleet, to: Member, path: string, init: RequestInit = {}): Promise<Told> {
  try {
    const answer = await fetch(fleet.addressOf(to).ops + path, {
      ...init,
      headers: { authorization: `Bearer ${fleet.operator}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(TOLD_WITHIN_MS),
    })
    return { status: answer.status, text: await answer.text() }
  } catch (error) {
    // Whoever is kept waiting was told nothing, and who was asked did not go away either.
    if (error instanceof DOMException) throw error
    return { status: null, text: '' }
  }
}

/** An operator is told what became of it, whatever is away. */
const TOLD_WITHIN_MS = 15_000
