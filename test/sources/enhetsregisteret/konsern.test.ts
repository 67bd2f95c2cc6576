import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import { askOf } from '#src/sources/ask.ts'
import { konsern, type RegisterKonsernledd } from '#src/sources/enhetsregisteret/konsern.ts'
import { answering, ORGNR, OTHER, patient } from '../asking.ts'

const RECORDED = new URL(
  '../../../../shared/upstream-sections/konsernstruktur-923609016-equinor-trimmed.json',
  import.meta.url,
)
const ask = (body: string | object, status = 200) =>
  askOf(konsern, answering({ body, status }))(ORGNR, patient())
const top = { organisasjonsnummer: OTHER, navn: 'TOPPEN AS' }
const below = (children: unknown) => ({ ...top, children })
const own = { organisasjonsnummer: ORGNR, navn: 'SELV AS', parentOrganisasjonsnummer: OTHER }

async function listOf(body: object): Promise<RegisterKonsernledd[]> {
  const answer = await ask(body)
  if (answer.outcome !== 'found') throw new Error(`expected a group, found ${answer.outcome}`)
  return answer.value
}

describe('a group as the register has it', () => {
  it.skipIf(!existsSync(RECORDED))(
    'every place of the recorded tree is read, each below its parent',
    async () => {
      const body = JSON.parse(readFileSync(RECORDED, 'utf8'))
      const places: { navn: string; over: string | undefined }[] = []
      const walk = (node: { navn: string; children?: never[] }, over?: string): void => {
        places.push({ navn: node.navn, over })
        for (const child of node.children ?? []) walk(child, node.navn)
      }
      walk(body)
      const answer = await askOf(konsern, answering({ body }))(
        parseOrganisasjonsnummer('923609016'),
        patient(),
      )
      expect(answer).toMatchObject({ outcome: 'found', avvik: [] })
      const list = answer.outcome === 'found' ? answer.value : []
      const read = list.map(({ navn, over }) => ({
        navn,
        over: over === null ? undefined : list[over]?.navn,
      }))
      expect(new Set(read.map((each) => JSON.stringify(each)))).toEqual(
        new Set(places.map((each) => JSON.stringify(each))),
      )
    },
  )

  it('an empty 404 is: in no registered group; with a body it is no word about the company', async () => {
    expect(await ask('', 404)).toMatchObject({ outcome: 'absent' })
    await expect(ask({ status: 404 }, 404)).rejects.toMatchObject({ failure: 'feilstatus' })
  })

  it('P9: a group the company is not in is refused', async () => {
    await expect(ask(below([]))).rejects.toMatchObject({ failure: 'feil_foretak' })
  })

  it('a place that can not be read costs itself and is named, and the parent says that not all is known', async () => {
    const answer = await ask(below([own, 7]))
    expect(answer).toMatchObject({ outcome: 'found', avvik: ['/children/1'] })
    expect(await listOf(below([own, 7]))).toMatchObject([{ ukjentUnder: true }, { navn: 'SELV AS', over: 0 }])
    expect(await listOf({ ...own, children: null })).toMatchObject([{ ukjentUnder: true }])
  })

  it('what a place does not say of itself, those below it do', async () => {
    const [first] = await listOf({ navn: 'TOPPEN AS', children: [own] })
    expect(first).toMatchObject({ organisasjonsnummer: OTHER, navn: 'TOPPEN AS' })
  })

  it('P11: a company that was erased keeps its place, and nothing else', async () => {
    const list = await listOf(below([{ ...own, parentNavn: 'TOPPEN AS' }]))
    expect(JSON.stringify(list.slice(1))).not.toMatch(/TOPPEN|parent/)
    expect(konsern.withoutErased?.(list, (orgnr) => orgnr === OTHER)).toEqual([
      { over: null },
      { organisasjonsnummer: ORGNR, navn: 'SELV AS', over: 0 },
    ])
  })

  it('is not asked about where the unit says that it is in none', () => {
    const unit = { respons_klasse: 'Enhet', organisasjonsnummer: ORGNR } as const
    expect(konsern.askedWhen?.({ ...unit, erIKonsern: false })).toBe(false)
    expect(konsern.askedWhen?.({ ...unit, erIKonsern: true })).toBe(true)
    expect(konsern.askedWhen?.(unit)).toBe(true)
  })
})
