import { expect, test } from 'vitest'
import { readOwnership, type ShareBook } from '#src/record/eierskap/read-ownership.ts'
import { turnsMeanwhile } from '../../support/turns-meanwhile.ts'

const SUBJECT = 900_000_000
const OWNERS = 200

test('P183: attack: a structure of two hundred owners with two hundred holders each lets others in while it is computed', async () => {
  const companies = Array.from({ length: OWNERS }, (_, at) => SUBJECT + 1 + at)
  const own = bookOf(
    SUBJECT,
    companies.map((orgnr) => ({ navn: `EIER ${orgnr} AS`, orgnr, aksjer: 5 })),
  )
  const ports = {
    books: async (orgnrs: readonly number[]) =>
      orgnrs.map((orgnr) => (orgnr === SUBJECT ? own : bookOf(orgnr, personsOf(orgnr)))),
    owns: async () => [],
  }
  const turns = await turnsMeanwhile(async () => {
    const { oppover } = await readOwnership(SUBJECT, { aar: 2024, retning: 'opp' }, ports)
    expect(oppover?.mellomledd).toHaveLength(OWNERS)
  })
  expect(turns).toBeGreaterThan(4)
})

function personsOf(orgnr: number): ShareBook['storste'] {
  return Array.from({ length: 200 }, (_, at) => ({
    navn: `PERSON ${at} AV ${orgnr}`,
    fodselsaar: 1930 + (at % 70),
    aksjer: 5,
  }))
}

function bookOf(orgnr: number, storste: ShareBook['storste']): ShareBook {
  const aksjer = storste.reduce((sum, holder) => sum + holder.aksjer, 0)
  return {
    orgnr,
    navn: `SELSKAP ${orgnr} AS`,
    aksjerTotalt: aksjer,
    aksjerSum: aksjer,
    innehavere: storste.length,
    storste,
  }
}
