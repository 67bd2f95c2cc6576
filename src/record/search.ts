import { type Static, Type } from 'typebox'
import { findOrganisasjonsnummer, type Organisasjonsnummer } from '#src/core/organisation-number.ts'
import { readable } from '#src/sources/believe.ts'
import type { Enhet, SlettetEnhet, Underenhet } from '#src/sources/enhetsregisteret/schema.ts'
import type { SearchHits, SearchQuestion } from '#src/sources/enhetsregisteret/search.ts'
import { type Answer, type Call, SourceError } from '#src/sources/source.ts'
import { origins } from './provenance.ts'
import { matches, rank, type Trefftype, trefftyper } from './ranking.ts'
import { kommune } from './sections/adresser.ts'
import { AntallAnsatte, type AnyUnit, antallAnsatte, kode, type Unit } from './sections/foretak.ts'
import { Foretakstilstand, status } from './sections/status.ts'
import { exactly, Kode, oneOf, orNull, Tekst, Tidspunkt } from './shape.ts'
import { Avvik, KildeId } from './state.ts'

const Treff = exactly({
  organisasjonsnummer: Tekst,
  navn: orNull(Tekst),
  organisasjonsform: orNull(Kode),
  kommune: orNull(exactly({ nummer: orNull(Tekst), navn: orNull(Tekst) })),
  foretakstilstand: orNull(Foretakstilstand),
  naeringskode: orNull(Kode),
  antallAnsatte: AntallAnsatte,
  trefftype: oneOf(
    trefftyper,
    [
      'Hvorfor foretaket er et treff.',
      'tidligere_navn: teksten står i et navn det hadde før.',
      'annet: registeret ga treffet, uten at noe av teksten står i navnet.',
    ].join(' '),
  ),
})
type Treff = Static<typeof Treff>

export const Sok = exactly({
  totalt: orNull(
    Type.Integer({ minimum: 0, description: 'Alle foretak registeret fant på denne måten å søke.' }),
  ),
  vist: Type.Integer({ minimum: 0 }),
  avkortet: orNull(Type.Boolean({ description: 'true når det finnes flere treff enn de som er vist.' })),
  metode: oneOf(
    ['organisasjonsnummer', 'sammenhengende', 'enkeltord'],
    [
      'Hvordan registeret ble spurt; trefftype sier hvorfor hvert foretak er et treff.',
      'sammenhengende: etter teksten slik den står. enkeltord: det ga ingen, så hvert ord for seg.',
    ].join(' '),
  ),
  kilde: exactly({ kildeId: KildeId, kilde: Tekst, lisens: Tekst, hentet: Tidspunkt, avvik: Avvik }),
  treff: Type.Array(Treff),
})
export type Sok = Static<typeof Sok>

export type SearchSources = {
  enhet(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Enhet | SlettetEnhet>>
  underenhet(orgnr: Organisasjonsnummer, call: Call): Promise<Answer<Underenhet | SlettetEnhet>>
  sok(question: SearchQuestion, call: Call): Promise<Answer<SearchHits>>
}

export type SearchQuery = { q: string; size: number }

/**
 * Finds companies by name or number, the one a person means first.
 *
 * The register is asked in two ways at once. Running text gives the names that hold the text as it is written, in no useful
 * order; its default ORs the words and puts the best score first, so that the company of just that name is among its first
 * hundred even when thousands hold the text. Of the second list only those that also hold the text count, so that `totalt`
 * stays the register's own count of them. Only when no name holds the text do the single words decide.
 *
 * @throws SourceError when the register could not be heard within the deadline
 */
export async function search(
  { q, size }: SearchQuery,
  finder: { sources: SearchSources; deadlineMs: number; candidatesMax: number },
): Promise<Sok> {
  const call = { signal: AbortSignal.timeout(finder.deadlineMs) }
  const orgnr = findOrganisasjonsnummer(q)
  if (orgnr !== null) return byNumber(orgnr, finder.sources, call)

  const ask = (metode: SearchQuestion['metode']) =>
    finder.sources.sok({ navn: q, metode, size: finder.candidatesMax }, call)
  const [running, scored] = await Promise.all([ask('FORTLOEPENDE'), ask(null)])
  const text = listed(running)
  const words = listed(scored)
  const isRunning = text.totalt === null ? text.treff.length > 0 : text.totalt > 0
  const candidates = isRunning
    ? [...text.treff, ...words.treff.filter(({ navn }) => matches(q, navn ?? ''))]
    : words.treff
  const units = [...new Map(candidates.map((unit) => [unit.organisasjonsnummer, unit])).values()]
  const ranked = rank(
    q,
    units.map((unit) => ({
      unit,
      navn: unit.navn ?? null,
      tidligereNavn: (readable(unit.historiskeNavn) ?? []).map(({ navn }) => navn),
      isActive: status(unit).foretakstilstand === 'aktiv',
    })),
  )
  const treff = ranked.slice(0, size).map(({ unit, trefftype }) => hit(unit, trefftype))
  const totalt = isRunning ? text.totalt : words.totalt
  return found(treff, {
    totalt: totalt === null ? null : Math.max(totalt, treff.length),
    metode: isRunning ? 'sammenhengende' : 'enkeltord',
    hentet: running.fetchedAt,
    avvik: isRunning ? text.avvik : words.avvik,
  })
}

async function byNumber(orgnr: Organisasjonsnummer, sources: SearchSources, call: Call): Promise<Sok> {
  const main = await sources.enhet(orgnr, call)
  const answer: Answer<Unit> = main.outcome === 'absent' ? await sources.underenhet(orgnr, call) : main
  const treff = answer.outcome === 'found' ? [hit(answer.value, 'organisasjonsnummer')] : []
  return found(treff, {
    totalt: treff.length,
    metode: 'organisasjonsnummer',
    hentet: answer.fetchedAt,
    avvik: answer.outcome === 'found' ? answer.avvik : [],
  })
}

function listed(answer: Answer<SearchHits>): SearchHits & { avvik: string[] } {
  if (answer.outcome === 'found') return { ...answer.value, avvik: answer.avvik }
  throw new SourceError(
    'sok',
    'ugyldig_svar',
    `a search is always answered with a list, found ${answer.outcome}`,
  )
}

function hit(unit: Unit, trefftype: Trefftype): Treff {
  const { beliggenhetsadresse, forretningsadresse }: AnyUnit = unit
  return {
    organisasjonsnummer: unit.organisasjonsnummer,
    navn: unit.navn ?? null,
    organisasjonsform: kode(unit.organisasjonsform),
    kommune: kommune(unit.respons_klasse === 'Underenhet' ? beliggenhetsadresse : forretningsadresse),
    foretakstilstand: unit.respons_klasse === 'Underenhet' ? null : status(unit).foretakstilstand,
    naeringskode: kode(unit.naeringskode1),
    antallAnsatte: antallAnsatte(unit),
    trefftype,
  }
}

function found(
  treff: Treff[],
  facts: { totalt: number | null; metode: Sok['metode']; hentet: Date; avvik: string[] },
): Sok {
  return {
    ...counted(facts.totalt, treff),
    metode: facts.metode,
    kilde: { ...origins.enhet, hentet: facts.hentet.toISOString(), avvik: facts.avvik },
    treff,
  }
}

/** How many there are, and are shown. */
export function counted(totalt: number | null, treff: Treff[]): Pick<Sok, 'totalt' | 'vist' | 'avkortet'> {
  return { totalt, vist: treff.length, avkortet: totalt === null ? null : totalt > treff.length }
}
