import { issueKey } from '#src/access/issue-key.ts'
import { systemClock } from '#src/core/clock.ts'
import type { AnswersCatalogue, CompanyAnswers } from '#src/samples/answers.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { doomed, gone } from '../doomed-company.ts'
import { eventually } from '../eventually.ts'
import { type Fleet, type Front, fronts } from '../fleet.ts'
import { AT, linesIn } from '../handed-in-lists.ts'
import { copyOf, inventNumbers } from '../invented-companies.ts'
import type { JudgedReceiver } from '../judged-receiver.ts'
import { makeEndpoint } from '../made-endpoint.ts'
import type { RegisterStandIn } from '../register-stand-in.ts'
import { wholeDatabase, wholeRedis } from '../whole-contents.ts'
import type { Asking } from './asking.ts'
import type { Chance } from './chance.ts'
import type { Judge } from './judge.ts'

const WATCHED = 20
const DOOMED = 30
const LISTED = 400
const LIST = 150
const numbers = inventNumbers(WATCHED + DOOMED + LISTED)
const watched = numbers.slice(0, WATCHED)
const toGo = numbers.slice(WATCHED, WATCHED + DOOMED)
const listed = numbers.slice(WATCHED + DOOMED)
const wordOf = (orgnr: string) => `ZQ${orgnr}X`
const sample = sampleAnswers().companies.get(SAMPLE.healthy) ?? {}
const NAME = 'TINDEVÅG SJØMAT AS'
const named = (orgnr: string, version: number): CompanyAnswers =>
  copyOf(sample, SAMPLE.healthy, orgnr, { [NAME]: `NAVN ${version} AS` })

/** What the registers know before anything happens. */
export function knownCompanies(): AnswersCatalogue {
  const { companies, klass } = sampleAnswers()
  const more: [string, CompanyAnswers][] = [
    ...watched.map((each): [string, CompanyAnswers] => [each, named(each, 0)]),
    ...toGo.map((each): [string, CompanyAnswers] => [each, doomed(each, wordOf(each))]),
    ...listed.map((each): [string, CompanyAnswers] => [each, copyOf(sample, SAMPLE.healthy, each)]),
  ]
  return { companies: new Map([...companies, ...more]), klass }
}

type World = {
  fleet: Fleet
  register: RegisterStandIn
  receiver: JudgedReceiver
  asking: Asking
  chance: Chance
}

/** Companies that are read, change, are removed, and stand in long lists; and whoever watches them. */
export async function createCompanies({ fleet, register, receiver, asking, chance }: World) {
  const { database } = fleet.postgres
  const { token: watcher } = await issueKey(
    { db: database, clock: systemClock },
    { epost: 'overvaker@example.com', miljo: 'test' },
  )
  const [key] = await asking.rows<{ kjede: string }>(
    `select kjede from api_nokkel where epost = 'overvaker@example.com'`,
  )
  const { secret } = await makeEndpoint(database, key?.kjede ?? '', `${receiver.origin}/e`)
  receiver.trust('/e', secret)
  const versions = new Map(watched.map((each) => [each, 0]))
  const removed: string[] = []
  const lists: { place: string; numbers: string[] }[] = []
  /** Of each front, what was answered of what every process holds. */
  const readings = { held: 0, refused: [] as string[] }

  for (const orgnr of watched)
    await asking.ask('front A', `/api/overvaking/${orgnr}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${watcher}` },
    })
  for (const front of fronts)
    for (const orgnr of [...watched, ...toGo]) await asking.get(front, `/api/bedrift/${orgnr}`, fleet.token)
  await eventually('each has been seen once', async () => {
    const [row] = await asking.rows<{ antall: number }>(
      `select count(*)::integer as antall from grunnlag where kilde = 'enhet' and not prove
         and orgnr in (select orgnr from overvaking)`,
    )
    return row?.antall === WATCHED
  })

  return {
    readings,
    /** @param isSettled the front has been up with its stores: what it holds it gives, whatever is away */
    async read(isSettled: (front: Front) => boolean): Promise<void> {
      const front = chance.oneOf(fronts)
      const wasSettled = isSettled(front)
      const orgnr = chance.oneOf(watched)
      const answer = await asking.get(front, `/api/bedrift/${orgnr}`, fleet.token)
      if (answer === null || !wasSettled || !isSettled(front)) return
      readings.held += 1
      if (answer.status !== 200) readings.refused.push(`${front} ${orgnr}: ${answer.status}`)
    },

    async change(): Promise<void> {
      const orgnr = chance.oneOf(watched)
      const version = (versions.get(orgnr) ?? 0) + 1
      versions.set(orgnr, version)
      for (const [source, answer] of Object.entries(named(orgnr, version)))
        register.set(orgnr, source as 'enhet', answer)
      register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Endring' })
    },

    async remove(): Promise<void> {
      const orgnr = toGo[removed.length]
      if (orgnr === undefined) return
      for (const source of Object.keys(sample)) register.set(orgnr, source as 'enhet', null)
      register.set(orgnr, 'enhet', gone(orgnr))
      register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Fjernet' })
      removed.push(orgnr)
    },

    /** Asked for all the while, so that some of them are under way when they are removed. */
    async readDoomed(): Promise<void> {
      await asking.get(chance.oneOf(fronts), `/api/bedrift/${chance.oneOf(toGo)}`, fleet.token)
    },

    async handIn(): Promise<void> {
      const chosen = Array.from({ length: LIST }, () => chance.oneOf(listed))
      const answer = await asking.ask(chance.oneOf(fronts), `${AT}?felt=navn,roller`, {
        method: 'POST',
        body: JSON.stringify(chosen),
        headers: {
          authorization: `Bearer ${fleet.token}`,
          'content-type': 'application/json',
          'idempotency-key': `liste-${lists.length}`,
        },
      })
      if (answer?.status === 202)
        lists.push({ place: answer.headers.get('location') ?? '', numbers: [...new Set(chosen)] })
    },

    async judge(judge: Judge): Promise<void> {
      const { holds, isSo } = judge
      isSo(`what is held is given: ${readings.refused.join(', ')}`, readings.refused.length === 0)
      await judgeLists(judge)
      isSo(
        'every message is signed',
        receiver.arrived.every(({ isSigned }) => isSigned === true),
      )
      for (const [orgnr, version] of versions) {
        if (version > 0)
          await holds(`${orgnr} is told to be ${version}`, () => told(orgnr).at(-1)?.[1] === version)
        const all = told(orgnr)
        const isChain = all.every(([before], nr) => before === (nr === 0 ? 0 : all[nr - 1]?.[1]))
        isSo(`what is told of ${orgnr} follows from what was told before: ${all.join(' ')}`, isChain)
      }
      await judgeRemoved(judge)
    },
  }

  /** From which name to which, as it was taken for the first time. */
  function told(orgnr: string): (readonly [number, number])[] {
    const ids = new Set<string>()
    return receiver.arrived.flatMap(({ id, body, conduct }) => {
      const isTaken = typeof conduct === 'object' && conduct.status < 300
      if (!isTaken || !body.includes(orgnr) || ids.has(id)) return []
      ids.add(id)
      const [before, after] = [...body.matchAll(/"NAVN (\d+) AS"/g)].map(([, version]) => Number(version))
      return before === undefined || after === undefined ? [] : [[before, after] as const]
    })
  }

  async function judgeLists({ holds, isSo }: Judge): Promise<void> {
    for (const { place, numbers: asked } of lists) {
      await holds(`${place} is done`, async () => {
        const answer = await asking.get('front B', place, fleet.token)
        return answer?.status === 200 && JSON.parse(answer.text).fremdrift === 'ferdig'
      })
      const answer = await asking.get('front A', `${place}/resultat`, fleet.token)
      const lines = answer?.status === 200 ? linesIn(answer.text).slice(0, -1) : []
      isSo(
        `${place} has each line it should, in its place`,
        lines.map((line) => `${line.organisasjonsnummer} ${line.foretak?.navn}`).join() ===
          asked.map((each) => `${each} ${NAME}`).join(),
      )
    }
  }

  async function judgeRemoved({ holds, isSo }: Judge): Promise<void> {
    await holds('those who were removed are gone from every place', async () => {
      const rows = await asking.rows(
        `select 1 from fjernet where utvisket_fra @> array['mellomlager', 'ko'] and organisasjonsnummer = any($1)`,
        [removed],
      )
      return rows.length === removed.length
    })
    for (const orgnr of removed)
      for (const front of fronts) {
        const answer = await asking.get(front, `/api/bedrift/${orgnr}`, fleet.token)
        isSo(`${front} says that ${orgnr} is removed`, answer?.status === 410)
      }
    const places = {
      cache: await wholeRedis(fleet.cache.url),
      queue: await wholeRedis(fleet.queue.url),
      PostgreSQL: await wholeDatabase(database),
      log: fleet.output(),
    }
    for (const [place, text] of Object.entries(places))
      isSo(
        `nobody who was removed is in the ${place}`,
        removed.every((orgnr) => !text.includes(wordOf(orgnr))),
      )
  }
}
