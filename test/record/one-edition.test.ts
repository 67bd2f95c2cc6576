import { beforeEach, describe, expect, it } from 'vitest'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import type { RecordSources } from '#src/record/parts.ts'
import { readRecord } from '#src/record/read.ts'
import { type ArchiveSource, companySources } from '#src/sources/index.ts'
import { SourceError } from '#src/sources/source.ts'
import { absent, addresses, enhet, found, personIds } from './parts.ts'

const ORGNR = parseOrganisasjonsnummer('923609016')
const OLD = new Date('2025-05-20T08:00:00Z')
const NEW = new Date('2026-05-20T08:00:00Z')

/** What is held of each section, and what the archive has when it is asked anew. */
let held: Record<ArchiveSource, Date | 'absent'>
let anew: Date | Error
let asked: string[]

beforeEach(() => {
  anew = NEW
  asked = []
})

const answer = (fetchedAt: Date) => ({ ...found({ gjelderPer: '2025-12-31', of: fetchedAt }), fetchedAt })

function ask(section: ArchiveSource) {
  return async (_orgnr: string, _call: unknown, isAnew = false) => {
    asked.push(`${section}${isAnew ? ' anew' : ''}`)
    if (isAnew) {
      if (anew instanceof Error) throw anew
      return answer(anew)
    }
    const kept = held[section]
    return kept === 'absent' ? { ...absent, fetchedAt: OLD } : answer(kept)
  }
}

async function read() {
  const nothing = async () => absent
  const sources = {
    ...Object.fromEntries(companySources.map((name) => [name, nothing])),
    enhet: async () => found(enhet()),
    aksjonaerer: ask('aksjonaerer'),
    eierskap: ask('eierskap'),
  } as unknown as RecordSources
  const onFault = (_: string, error: unknown) => expect.unreachable(String(error))
  const reading = await readRecord(ORGNR, {
    sources,
    industryCodes: () => null,
    addresses,
    personIds: () => personIds,
    deadlineMs: 1000,
    onFault,
  })
  if (reading.outcome !== 'record') throw new Error('expected a record')
  const { aksjonaerer, eierskap, kilder } = reading.record
  return {
    aksjonaerer: kilder.aksjonaerer.hentet,
    eierskap: kilder.eierskap.hentet,
    states: [aksjonaerer.tilstand, eierskap.tilstand],
  }
}

describe('P18: the sections of the archive in one record', () => {
  it('are shown as they are held when both are of one edition', async () => {
    held = { aksjonaerer: OLD, eierskap: OLD }
    expect(await read()).toMatchObject({ aksjonaerer: OLD.toISOString(), eierskap: OLD.toISOString() })
    expect(asked).toEqual(['aksjonaerer', 'eierskap'])
  })

  it.each<[Date | 'absent', Date | 'absent', string]>([
    [NEW, OLD, 'eierskap anew'],
    [OLD, NEW, 'aksjonaerer anew'],
    ['absent', NEW, 'aksjonaerer anew'],
    [NEW, 'absent', 'eierskap anew'],
  ])('%s beside %s: the older is asked for anew', async (aksjonaerer, eierskap, again) => {
    held = { aksjonaerer, eierskap }
    const states = ['fersk', 'fersk']
    expect(await read()).toEqual({ aksjonaerer: NEW.toISOString(), eierskap: NEW.toISOString(), states })
    expect(asked.at(-1)).toBe(again)
    expect(asked).toHaveLength(3)
  })

  it('what can not be had in the same edition is not shown beside the other', async () => {
    held = { aksjonaerer: NEW, eierskap: OLD }
    anew = OLD
    expect((await read()).states).toEqual(['fersk', 'utilgjengelig'])
    anew = new SourceError('eierskap', 'nettverk', 'gone')
    expect((await read()).states).toEqual(['fersk', 'utilgjengelig'])
  })
})
