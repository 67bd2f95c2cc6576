import { describe, expect, it } from 'vitest'
import type { Eierskap } from '#src/record/eierskap/eierskap.ts'
import { konsernOf } from '#src/record/sections/konsern.ts'
import type { RegisterKonsernledd } from '#src/sources/enhetsregisteret/konsern.ts'
import { enhet, found, parts } from '../parts.ts'

const [TOP, MIDDLE, OWN, BELOW] = ['111111111', '222222222', '333333333', '444444444'] as const
const place = (organisasjonsnummer: string, over: number | null, grunnlag?: string): RegisterKonsernledd => ({
  organisasjonsnummer,
  over,
  ...(grunnlag !== undefined && { grunnlag }),
})
const tree = [
  place(TOP, null),
  place(MIDDLE, 0, '100%'),
  place(OWN, 1, '95,00%'),
  place(BELOW, 2, 'Indirekte mor'),
  place(OWN, 3),
]
const shares = (changes: object): Eierskap =>
  ({
    aar: 2025,
    oppover: { kontrollkjede: { konsernspiss: { organisasjonsnummer: TOP }, ende: 'endelig' } },
    nedover: { avkortet: false, datterselskap: [{ organisasjonsnummer: BELOW, ledd: 1 }] },
    ...changes,
  }) as unknown as Eierskap

const sectionOf = (
  ledd: RegisterKonsernledd[],
  eierskap: Eierskap | null = null,
  alone: string | null = null,
) =>
  konsernOf(
    parts({
      unit: found(enhet({ organisasjonsnummer: OWN })),
      konsern: found(ledd),
      eierskap: eierskap === null ? { outcome: 'not_imported' } : found(eierskap),
      alone,
    }),
  ).data

describe('P81: a company in its group', () => {
  it('is shown from the top down, with all that it stands directly below, and what is below it', () => {
    expect(sectionOf(tree)).toMatchObject({
      konsernspiss: { organisasjonsnummer: TOP },
      antallPlasser: 5,
      sti: [
        { organisasjonsnummer: MIDDLE, grunnlag: { tekst: '100%', prosent: 100 } },
        { organisasjonsnummer: OWN, grunnlag: { tekst: '95,00%', prosent: 95 } },
      ],
      over: [{ organisasjonsnummer: MIDDLE }, { organisasjonsnummer: BELOW }],
      under: [{ organisasjonsnummer: BELOW, grunnlag: { tekst: 'Indirekte mor', prosent: null } }],
      motEierskap: null,
      tre: null,
    })
  })

  it('is shown with the whole tree where it is asked for alone', () => {
    expect(sectionOf(tree, null, 'konsern')?.tre).toMatchObject([
      { over: null },
      { over: 0 },
      { over: 1 },
      { over: 2 },
      { over: 3 },
    ])
  })

  it('whose place can not be read has an unknown path, and nothing is said to be below', () => {
    const unread = sectionOf([place(TOP, null), { over: 0 }])
    expect(unread).toMatchObject({ antallPlasser: 2, sti: null, over: null, under: null })
    expect(sectionOf([{ ...place(OWN, null), ukjentUnder: true }])).toMatchObject({ sti: [], under: null })
  })

  it('shows those below it that could be read, and does not compare them as if they were all', () => {
    const some = [{ ...place(OWN, null), ukjentUnder: true as const }, place(BELOW, 0)]
    expect(sectionOf(some, shares({}))).toMatchObject({
      under: [{ organisasjonsnummer: BELOW }],
      motEierskap: { bareHer: null, bareIEierskap: null },
    })
  })

  it('is compared with what follows from the shares, and where they differ that is said', () => {
    expect(sectionOf(tree, shares({}))?.motEierskap).toEqual({
      aar: 2025,
      sammeKonsernspiss: true,
      bareHer: [],
      bareIEierskap: [],
    })
    const others = shares({
      oppover: { kontrollkjede: { konsernspiss: null, ende: 'ingen_over_halvparten' } },
      nedover: { avkortet: false, datterselskap: [{ organisasjonsnummer: MIDDLE, ledd: 1 }] },
    })
    expect(sectionOf(tree, others)?.motEierskap).toEqual({
      aar: 2025,
      sammeKonsernspiss: false,
      bareHer: [BELOW],
      bareIEierskap: [MIDDLE],
    })
    const cut = shares({ oppover: null, nedover: { avkortet: true, datterselskap: [] } })
    expect(sectionOf(tree, cut)?.motEierskap).toEqual({
      aar: 2025,
      sammeKonsernspiss: null,
      bareHer: null,
      bareIEierskap: null,
    })
  })
})
