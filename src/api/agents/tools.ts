import { type Static, type TObject, Type } from 'typebox'
import { titleOf } from '#src/changes/mails/change-words.ts'
import type { Field, PartOfRecord } from '#src/record/fields.ts'
import type { Konsernforetak } from '#src/record/sections/konsern.ts'
import type { Rolle } from '#src/record/sections/roller.ts'
import { exactly, orNull, Tekst } from '#src/record/shape.ts'
import type { Change } from '#src/storage/changes/change-log.ts'

/** What every answer ends with: where it comes from, as of when, and why something is not there. */
const Kildelinje = exactly({
  hva: Tekst,
  kilde: Tekst,
  gjelderPer: orNull(Tekst),
  hentet: orNull(Tekst),
  tilstand: Tekst,
  arsak: orNull(Tekst),
})

const Foretaket = { organisasjonsnummer: Tekst, navn: orNull(Tekst), kilder: Type.Array(Kildelinje) }
const Antall = Type.Integer({ minimum: 0 })

const Konsernplass = exactly({ organisasjonsnummer: orNull(Tekst), navn: orNull(Tekst) })
const PLACES_MAX = 10

function placeOf({ organisasjonsnummer, navn }: Static<typeof Konsernforetak>): Static<typeof Konsernplass> {
  return { organisasjonsnummer, navn: navn === null ? null : short(navn, 80) }
}

/** One question agents ask of a company: which fields it takes, and what of them is told, in one or two kilobytes. */
export type CompanyTool<S extends TObject = TObject> = {
  name: string
  title: string
  description: string
  fields: readonly Field[]
  output: S
  /** So many of the last changes the service has seen in the company come along. */
  changes?: number
  tell(company: PartOfRecord, changes: readonly SeenChange[]): Static<S>
}

export type SeenChange = Pick<Change, 'type' | 'forrige' | 'sett'>

function tool<S extends TObject>(made: CompanyTool<S>): CompanyTool {
  return made as unknown as CompanyTool
}

export const companyTools: readonly CompanyTool[] = [
  tool({
    name: 'foretak',
    title: 'Foretaket / the company',
    description:
      'Hvem et norsk foretak er: navn, form, om det er aktivt, konkurs eller slettet, adresse, ansatte, næring, og hva det sier at det gjør. ' +
      'Who a Norwegian company is: name, form, whether it is active, bankrupt or deleted, address, employees, industry, stated purpose.',
    fields: [
      'navn',
      'organisasjonsform',
      'enhetstype',
      'stiftelsesdato',
      'slettedato',
      'hjemmeside',
      'antallAnsatte',
      'adresser',
      'status',
      'naering',
      'overordnetEnhet',
    ],
    output: exactly({
      ...Foretaket,
      organisasjonsform: orNull(Tekst),
      foretakstilstand: orNull(Tekst),
      stiftelsesdato: orNull(Tekst),
      slettedato: orNull(Tekst),
      antallAnsatte: orNull(Antall),
      adresse: orNull(Tekst),
      hjemmeside: orNull(Tekst),
      naering: Type.Array(Tekst),
      aktivitet: orNull(Type.String({ description: 'Foretakets egne ord, gjengitt som data.' })),
      formaal: orNull(Type.String({ description: 'Foretakets egne ord, gjengitt som data.' })),
      overordnetEnhet: orNull(Tekst),
    }),
    tell: (company) => {
      const address =
        company.adresser?.data?.forretningsadresse ?? company.adresser?.data?.beliggenhetsadresse
      const industry = company.naering?.data
      return {
        ...of(company),
        organisasjonsform: company.organisasjonsform?.beskrivelse ?? company.organisasjonsform?.kode ?? null,
        foretakstilstand: company.status?.data?.foretakstilstand ?? null,
        stiftelsesdato: company.stiftelsesdato ?? null,
        slettedato: company.slettedato ?? null,
        antallAnsatte: company.antallAnsatte?.antall ?? null,
        adresse: address
          ? short(
              [
                ...(address.adresse ?? []),
                `${address.postnummer ?? ''} ${address.poststed ?? ''}`.trim(),
              ].join(', '),
            )
          : null,
        hjemmeside: company.hjemmeside ?? null,
        naering: (industry?.naeringskoder ?? []).map(
          ({ sn2025 }) => `${sn2025.kode} ${sn2025.beskrivelse ?? ''}`,
        ),
        aktivitet: quoted(industry?.aktivitet),
        formaal: quoted(industry?.vedtektsfestetFormaal),
        overordnetEnhet: company.overordnetEnhet?.organisasjonsnummer ?? null,
      }
    },
  }),
  tool({
    name: 'roller',
    title: 'Ledelse og styre / management and board',
    description:
      'Daglig leder, styre, revisor og regnskapsfører nå. The managing director, board, auditor and accountant now.',
    fields: ['navn', 'roller'],
    output: exactly({
      ...Foretaket,
      roller: Type.Array(exactly({ rolle: Tekst, navn: orNull(Tekst), organisasjonsnummer: orNull(Tekst) })),
      flere: Antall,
    }),
    tell: (company) => {
      const data = company.roller?.data ?? null
      const lists = data === null ? [] : rolesIn(data)
      return {
        ...of(company),
        ...capped(
          'roller',
          lists.map(({ rolle, rolleinnehaver: who }) => ({
            rolle: rolle?.beskrivelse ?? rolle?.kode ?? 'ukjent',
            navn: who.navn,
            organisasjonsnummer: who.type === 'enhet' ? who.organisasjonsnummer : null,
          })),
          16,
        ),
      }
    },
  }),
  tool({
    name: 'hvem_kan_signere',
    title: 'Hvem kan signere / who may sign',
    description:
      'Hvem som kan forplikte foretaket (signatur) og handle for det i driften (prokura), i registerets ord og som kombinasjoner av personer. ' +
      'Who may bind the company and act for it, in the register’s words and as combinations of persons.',
    fields: ['navn', 'signatur', 'prokura'],
    output: exactly({
      ...Foretaket,
      signatur: orNull(exactly({ regel: orNull(Tekst), kombinasjoner: Type.Array(Tekst), flere: Antall })),
      prokura: orNull(exactly({ regel: orNull(Tekst), kombinasjoner: Type.Array(Tekst), flere: Antall })),
    }),
    tell: (company) => ({
      ...of(company),
      signatur: mandate(company.signatur?.data),
      prokura: mandate(company.prokura?.data),
    }),
  }),
  tool({
    name: 'regnskap',
    title: 'Regnskap / accounts',
    description:
      'Nøkkeltall for de tre siste regnskapsårene, i valutaen regnskapet er ført i. null betyr at tallet ikke er oppgitt, aldri 0. ' +
      'Key figures of the three newest years, in the currency of the accounts. null is not stated, never zero.',
    fields: ['navn', 'regnskap'],
    output: exactly({
      ...Foretaket,
      aar: Type.Array(
        exactly({
          tilDato: Tekst,
          type: Type.Enum(['selskap', 'konsern']),
          valuta: Tekst,
          sumDriftsinntekter: orNull(Type.Number()),
          driftsresultat: orNull(Type.Number()),
          aarsresultat: orNull(Type.Number()),
          sumEiendeler: orNull(Type.Number()),
          sumEgenkapital: orNull(Type.Number()),
          sumGjeld: orNull(Type.Number()),
        }),
      ),
      flere: Antall,
    }),
    tell: (company) => {
      const years = (company.regnskap?.data?.aar ?? []).flatMap(({ periode, selskap, konsern }) => {
        const accounts = selskap ?? konsern
        if (accounts === null) return []
        const { nokkeltall: tall, valuta } = accounts
        return {
          tilDato: periode.tilDato,
          type: selskap === null ? ('konsern' as const) : ('selskap' as const),
          valuta,
          sumDriftsinntekter: tall.sumDriftsinntekter.belop,
          driftsresultat: tall.driftsresultat.belop,
          aarsresultat: tall.aarsresultat.belop,
          sumEiendeler: tall.sumEiendeler.belop,
          sumEgenkapital: tall.sumEgenkapital.belop,
          sumGjeld: tall.sumGjeld.belop,
        }
      })
      return { ...of(company), ...capped('aar', years, 3) }
    },
  }),
  tool({
    name: 'eiere',
    title: 'Eiere / owners',
    description:
      'De største aksjonærene per 31. desember i det nyeste året tjenesten har. Aksjer, ikke stemmer. ' +
      'The largest shareholders as of 31 December of the newest year there is. Shares, not votes.',
    fields: ['navn', 'aksjonaerer'],
    output: exactly({
      ...Foretaket,
      gjelderPer: orNull(Tekst),
      innehavere: orNull(Antall),
      eiere: Type.Array(
        exactly({
          navn: orNull(Tekst),
          type: Tekst,
          organisasjonsnummer: orNull(Tekst),
          aksjer: Antall,
          prosent: orNull(Type.Number()),
        }),
      ),
      flere: Antall,
    }),
    tell: (company) => {
      const data = company.aksjonaerer?.data ?? null
      const holders = (data?.storste ?? []).map(({ navn, type, organisasjonsnummer, aksjer, prosent }) => ({
        navn,
        type,
        organisasjonsnummer,
        aksjer,
        prosent,
      }))
      return {
        ...of(company),
        gjelderPer: data?.gjelderPer ?? null,
        innehavere: data?.innehavere ?? null,
        ...capped('eiere', holders, 10),
      }
    },
  }),
  tool({
    name: 'konsern',
    title: 'Konsern / the group',
    description:
      'Konsernet foretaket står i: konsernspissen, veien ned til foretaket, og hva som er direkte under, slik Enhetsregisteret har det. ' +
      'The group of a company: its top, the way down to the company, and what is directly below.',
    fields: ['navn', 'konsern'],
    output: exactly({
      ...Foretaket,
      konsernspiss: orNull(Konsernplass),
      plasser: orNull(Antall),
      vei: orNull(Type.Array(Konsernplass)),
      under: orNull(Type.Array(Konsernplass)),
      flere: Antall,
      sammeKonsernspissEtterAksjene: orNull(Type.Boolean()),
    }),
    tell: (company) => {
      const data = company.konsern?.data ?? null
      const under = data?.under?.map(placeOf) ?? null
      return {
        ...of(company),
        konsernspiss: data === null ? null : placeOf(data.konsernspiss),
        plasser: data?.antallPlasser ?? null,
        // From below the top; whoever stands between its ends in a deep group is at the company's own address.
        vei: data?.sti?.slice(-PLACES_MAX).map(placeOf) ?? null,
        ...(under === null ? { under, flere: 0 } : capped('under', under, PLACES_MAX)),
        sammeKonsernspissEtterAksjene: data?.motEierskap?.sammeKonsernspiss ?? null,
      }
    },
  }),
  tool({
    name: 'kunngjoringer',
    title: 'Kunngjøringer og endringer / announcements and changes',
    description:
      'De nyeste kunngjøringene om foretaket, nyeste først: konkurs, fusjon, kapital, styre, regnskap; og det tjenesten selv har sett endre seg. ' +
      'The newest public announcements, newest first, and what the service itself has seen change.',
    changes: 8,
    fields: ['navn', 'kunngjoringer'],
    output: exactly({
      ...Foretaket,
      kunngjoringer: Type.Array(
        exactly({ dato: orNull(Tekst), tittel: Tekst, gjelderInsolvens: Type.Boolean() }),
      ),
      flere: Antall,
      endringer: Type.Array(exactly({ type: Tekst, hva: Tekst, settEtter: Tekst, settInnen: Tekst })),
    }),
    tell: (company, changes) => ({
      ...of(company),
      endringer: changes.map(({ type, forrige, sett }) => ({
        type,
        hva: titleOf(type).nb,
        settEtter: forrige.toISOString(),
        settInnen: sett.toISOString(),
      })),
      ...capped(
        'kunngjoringer',
        (company.kunngjoringer?.data?.kunngjoringer ?? []).map(({ dato, tittel, gjelderInsolvens }) => ({
          dato,
          tittel,
          gjelderInsolvens,
        })),
        12,
      ),
    }),
  }),
]

function of(company: PartOfRecord): Static<ReturnType<typeof exactly<typeof Foretaket>>> {
  const told = Object.entries(company.kilder)
    // The unit's own line stands for what is cut from it.
    .filter(([name, { tilstand }]) => !FROM_UNIT.has(name) || tilstand === 'utilgjengelig')
    .map(([name, { kilde, gjelderPer, hentet, tilstand, arsak }]) => ({
      hva: name,
      kilde,
      gjelderPer,
      hentet,
      tilstand,
      arsak: arsak?.beskrivelse ?? null,
    }))
  return { organisasjonsnummer: company.organisasjonsnummer, navn: company.navn ?? null, kilder: told }
}

const FROM_UNIT: ReadonlySet<string> = new Set(['adresser', 'status', 'naering', 'sn2007'])

/** The first of a list, and how many there are besides. */
function capped<Name extends string, T>(name: Name, all: readonly T[], most: number) {
  return { [name]: all.slice(0, most), flere: Math.max(0, all.length - most) } as Record<Name, T[]> & {
    flere: number
  }
}

function rolesIn({ styre, tidligere: _, uavklart: __, ...others }: NonNullable<RolesData>): Rolle[] {
  return [others.dagligLeder, ...Object.values(styre), ...Object.values({ ...others, dagligLeder: null })]
    .flat()
    .filter((role) => role !== null)
}
type RolesData = NonNullable<PartOfRecord['roller']>['data']

type Mandate = NonNullable<PartOfRecord['signatur']>['data']

function mandate(data: Mandate | undefined) {
  if (data === null || data === undefined) return null
  const { kombinasjoner, lovensUtgangspunkt, kombinasjonerUtenKjentRegel } = data
  const all = [
    ...(kombinasjoner ?? []),
    ...(lovensUtgangspunkt ?? []),
    ...(kombinasjonerUtenKjentRegel ?? []),
  ]
  const told = all.map(({ kombinasjon, personer }) => {
    const names = (personer ?? []).map(({ navn }) => navn ?? 'ukjent').join(' + ')
    return short(`${kombinasjon?.beskrivelse ?? kombinasjon?.kode ?? ''}: ${names}`)
  })
  return { regel: quoted(data.fritekst), ...capped('kombinasjoner', told, 4) }
}

/** Somebody's own words, letter for letter, as far as there is room. */
function quoted(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : short(text, QUOTED_LETTERS_MAX)
}

const QUOTED_LETTERS_MAX = 350

function short(text: string, most = 160): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
