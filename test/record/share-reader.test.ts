import { expect, it } from 'vitest'
import type { Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { createShareReader } from '#src/record/share-reader.ts'
import type { Guard } from '#src/sources/guard.ts'

const ASKED = '974760673' as Organisasjonsnummer
const OWNER = '923609016'
const through: Pick<Guard, 'run'> = { run: (_lane, ask, call) => ask(call) }

/** Of who owns it one is removed while it is read, `times` times. */
function readerWhere(times: number) {
  const removed: string[] = []
  let reads = 0
  const register = {
    async ownership() {
      reads += 1
      const eiere = removed.includes(OWNER) ? [] : [OWNER]
      if (reads <= times) removed.push(reads === 1 ? OWNER : String(reads))
      return { outcome: 'found', delivery: { aar: 2025 }, value: { eiere } }
    },
  }
  const reader = createShareReader({
    register: register as never,
    guards: { aksjonaerer: through, eierskap: through },
    tombstones: {
      isErased: (orgnr) => removed.includes(orgnr),
      slettedatoOf: () => null,
    },
    untold: () => removed.join(),
    deadlineMs: 60_000,
  })
  const read = () => reader.ownership(ASKED, { aar: null, retning: 'begge', noder: 10 }, { caller: 'en' })
  return { read, reads: () => reads }
}

it('P11: attack: an owner that is removed while the owners are read is not told of', async () => {
  const { read, reads } = readerWhere(1)
  expect([await read(), reads()]).toEqual([{ outcome: 'found', eierskap: { eiere: [] } }, 2])
})

it('P11: attack: where others are removed whenever they are read, they are not read without end', async () => {
  const { read, reads } = readerWhere(100)
  await expect(read()).rejects.toMatchObject({ failure: 'opptatt' })
  expect(reads()).toBe(3)
})
