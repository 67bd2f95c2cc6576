import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { RecordSources } from '#src/record/parts.ts'
import { readRecord } from '#src/record/read.ts'
import { type SectionName, sectionNames } from '#src/record/sections.ts'
import { companySources } from '#src/sources/index.ts'
import { SourceError } from '#src/sources/source.ts'
import { absent, addresses, enhet, found, personIds } from './parts.ts'

const ORGNR = parseOrganisasjonsnummer('923609016')
const PARENT = parseOrganisasjonsnummer('974760673')

/** Each source, and the section it is asked for. */
const sections = [
  ['roller', 'roller'],
  ['signatur', 'signatur'],
  ['prokura', 'prokura'],
  ['regnskap', 'regnskap'],
  ['kunngjoringer', 'kunngjoringer'],
  ['aksjonaerer', 'aksjonaerer'],
  ['eierskap', 'eierskap'],
] as const satisfies [keyof RecordSources, SectionName][]

const fault = new TypeError('x is not a function')
/** When the fault shows; the main register answers after some turns. */
const moments = {
  'at once, before there is a promise': () => {
    throw fault
  },
  'before the main register has answered': () => Promise.reject(fault),
  'after the main register has answered': () => pause(30).then(() => Promise.reject(fault)),
} satisfies Record<string, () => Promise<never>>

/** Without a fault: the unit, with a parent, and nothing else anywhere. */
function sourcesWith(over: Partial<RecordSources>): RecordSources {
  const nothing = async () => absent
  return {
    ...Object.fromEntries(companySources.map((name) => [name, nothing])),
    enhet: async (orgnr: string) => {
      await pause(10)
      return found(enhet({ organisasjonsnummer: orgnr, overordnetEnhet: PARENT }))
    },
    aksjonaerer: nothing,
    eierskap: nothing,
    ...over,
  } as unknown as RecordSources
}

async function read(over: Partial<RecordSources>) {
  const faults: [SectionName, unknown][] = []
  const reading = await readRecord(ORGNR, {
    sources: sourcesWith(over),
    industryCodes: () => null,
    addresses,
    personIds: () => personIds,
    deadlineMs: 2000,
    onFault: (section, error) => faults.push([section, error]),
  })
  return { reading, faults }
}

/** The sections that could not be had, but for the table that is not there in these tests. */
async function unavailable(over: Partial<RecordSources>) {
  const { reading, faults } = await read(over)
  if (reading.outcome !== 'record') throw new Error(`expected a record, found ${reading.outcome}`)
  const { kilder, komplett } = reading.record
  const sections = sectionNames.filter(
    (name) => kilder[name].tilstand === 'utilgjengelig' && name !== 'sn2007',
  )
  return { sections, reasons: sections.map((name) => kilder[name].arsak?.kode), komplett, faults }
}

describe('P42, P2: a programming error in one source costs its own section and no more', () => {
  describe.each(Object.entries(moments))('thrown %s', (_, goWrong) => {
    it.each(sections)('by %s', async (source, section) => {
      expect(await unavailable({ [source]: goWrong })).toEqual({
        sections: [section],
        reasons: ['intern_feil'],
        komplett: false,
        faults: [[section, fault]],
      })
    })

    it('by all of them at once', async () => {
      const all = Object.fromEntries(sections.map(([source]) => [source, goWrong]))
      const seen = await unavailable(all)
      expect(seen.sections).toEqual(sections.map(([, section]) => section))
      expect(seen.faults.map(([section]) => section).sort()).toEqual([...seen.sections].sort())
    })

    it('by the main register: there is no record now, and the fault is told', async () => {
      const { reading, faults } = await read({ enhet: goWrong })
      expect(reading).toMatchObject({
        outcome: 'unavailable',
        arsak: { kode: 'intern_feil' },
        retryAfterSeconds: null,
      })
      expect(faults).toEqual([['enhet', fault]])
    })

    it('about the parent: its own section', async () => {
      const { enhet: answers } = sourcesWith({})
      const about = (orgnr: typeof ORGNR, call: { signal: AbortSignal }) =>
        orgnr === PARENT ? goWrong() : answers(orgnr, call)
      expect(await unavailable({ enhet: about })).toMatchObject({
        sections: ['overordnetEnhet'],
        reasons: ['intern_feil'],
        faults: [['overordnetEnhet', fault]],
      })
    })
  })

  it('thrown while the main register says that there is no such company: nobody hears of it but the log', async () => {
    const { reading, faults } = await read({
      enhet: async () => {
        await pause(10)
        return absent
      },
      roller: moments['before the main register has answered'],
    })
    expect(reading).toEqual({ outcome: 'unknown' })
    expect(faults).toEqual([['roller', fault]])
  })

  it('thrown after the deadline: the section was late, and the fault is told', async () => {
    const gate = Promise.withResolvers<never>()
    const faults: unknown[] = []
    const reading = await readRecord(ORGNR, {
      sources: sourcesWith({ roller: () => gate.promise }),
      industryCodes: () => null,
      addresses,
      personIds: () => personIds,
      deadlineMs: 50,
      onFault: (_, error) => faults.push(error),
    })
    expect(reading).toMatchObject({ record: { kilder: { roller: { arsak: { kode: 'tidsfrist' } } } } })
    gate.reject(fault)
    await pause(0)
    expect(faults).toEqual([fault])
  })

  it('made of an answer that was well: the section that could not be made of it', async () => {
    const broken = async () => found(null as never)
    const { sections, reasons, faults } = await unavailable({ roller: broken, regnskap: broken })
    expect(sections).toEqual(['roller', 'regnskap'])
    expect(reasons).toEqual(['intern_feil', 'intern_feil'])
    expect(faults).toEqual([
      ['roller', expect.any(TypeError)],
      ['regnskap', expect.any(TypeError)],
    ])
  })

  it('is no fault of ours when the register failed: nothing is told', async () => {
    const away = async () => Promise.reject(new SourceError('roller', 'nettverk', 'gone'))
    expect(await unavailable({ roller: away })).toMatchObject({ reasons: ['nettverk'], faults: [] })
  })
})
