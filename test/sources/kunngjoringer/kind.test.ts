import { expect, test } from 'vitest'
import { recogniseKind } from '#src/sources/kunngjoringer/kind.ts'

test.each([
  ['Konkursåpning', 'konkursapning', true],
  ['KONKURSÅPNING', 'konkursapning', true],
  ['Konkursa\u030apning', 'konkursapning', true],
  ['Konkursapning', 'konkursapning', true],
  ['Konkursåpning i hjemlandet', 'konkursapning_i_hjemlandet', true],
  ['Innstilling av bobehandling', 'bobehandling_innstilt', true],
  ['Avslutning av bobehandling', 'bobehandling_avsluttet', true],
  ['Tvangsoppløsning', 'tvangsopplosning', true],
  ['Varsel om tvangsoppløsning', 'varsel_om_tvangsopplosning', true],
  ['Varsel  om\u00a0tvangsoppløsning', 'varsel_om_tvangsopplosning', true],
  ['Varsel om tvangsavvikling', 'varsel_om_tvangsavvikling', true],
  ['Tvangsavvikling', 'tvangsavvikling', true],
  ['Åpning av rekonstruksjonsforhandling', 'rekonstruksjon', true],
  ['Skifte av bostyrer', 'insolvens_annet', true],
  ['Sletting', 'sletting', false],
  ['Fusjonsbeslutning', 'fusjon', false],
  ['Gjennomføring av fisjon', 'fisjon', false],
  ['Beslutning om oppløsning', 'avvikling', false],
  ['Foretaksnavn', 'navn', false],
  ['Rettelse av kapital', 'kapital', false],
  ['Vedtektsfestet formål', 'formal', false],
  ['Endring av styre', 'styre', false],
  ['Daglig leder', 'daglig_leder', false],
  ['Revisor', 'revisor', false],
  ['Godkjente årsregnskap', 'regnskap', false],
  ['Noe helt nytt', 'annet', false],
  ['', 'annet', false],
] as const)('%s is %s', (title, type, gjelderInsolvens) => {
  expect(recogniseKind(title)).toEqual({ type, gjelderInsolvens })
})

test.each([
  'Tilbakekalling av varsel om tvangsoppløsning',
  'Opphevelse av konkursåpning',
  'Konkursåpning omgjort',
  'Rettelse av tvangsoppløsning',
])('%s is not read as the thing itself', (title) => {
  expect(recogniseKind(title)).toEqual({ type: 'insolvens_annet', gjelderInsolvens: true })
})

test('a warning of something else is not read as the thing itself', () => {
  expect(recogniseKind('Varsel om sletting')).toEqual({ type: 'annet', gjelderInsolvens: false })
})
