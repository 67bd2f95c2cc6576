import { LRUCache } from 'lru-cache'
import { isOrganisasjonsnummer } from '#src/core/organisation-number.ts'
import {
  type AnswersCatalogue,
  type CompanyAnswers,
  okAnswer,
  type RegisterAnswer,
} from '#src/samples/answers.ts'
import { enhetJson } from '#src/samples/shapes/enhet.ts'
import { ingenFullmaktJson } from '#src/samples/shapes/fullmakt.ts'
import { gruppe, person, rolle, rollerJson } from '#src/samples/shapes/roller.ts'
import { hos, rollerHosAndre } from '#src/samples/shapes/roller-i-andre-foretak.ts'
import { SAMPLE, sampleAnswers } from '#test/fixtures/samples/index.ts'
import { createInvention, type Invention } from './invention.ts'
import { announcementsOf, filingsOf, smallCompany } from './small-company.ts'

/**
 * - `standard`: a sole proprietorship, always the same but for its number, with something from every source in a short record.
 * - `large`: the healthy sample under other numbers, 26 kB.
 * - `mixed`: what the register is made of, no two alike: 42 % limited companies (one in fifty of them large), 38 % sole
 *   proprietorships, 20 % associations.
 * - `growing`: limited companies with ever more to tell: the n-th has n on its board and three times as many announcements.
 */
export type Kind = 'standard' | 'large' | 'mixed' | 'growing'

/** Invented companies by kind, and a catalogue in which each is made when it is asked for. */
export function inventCompanies(counts: Record<Kind, number>): {
  numbers: Record<Kind, string[]>
  companies: ReadonlyMap<string, BenchCompany>
  answers: AnswersCatalogue
} {
  const series = validNumbers()
  const companies = new Map<string, BenchCompany>()
  const make = (kind: Kind) =>
    Array.from({ length: counts[kind] }, (_, place) => {
      const orgnr = series.next().value ?? ''
      companies.set(orgnr, new BenchCompany(orgnr, kind, place))
      return orgnr
    })
  const numbers = {
    standard: make('standard'),
    large: make('large'),
    mixed: make('mixed'),
    growing: make('growing'),
  }
  const { companies: samples, klass } = sampleAnswers()
  // What a company has nothing of is undefined here and not there in the type: whoever looks sees no difference.
  const all = new Map<string, unknown>([...samples, ...companies]) as ReadonlyMap<string, CompanyAnswers>
  return { numbers, companies, answers: { companies: all, klass } }
}

/** Keeps nothing but its number, a hundred thousand of them would not fit otherwise; what it answers is made when it is asked. */
export class BenchCompany {
  readonly #orgnr: string
  readonly #kind: Kind
  /** Among those of its kind, from 0. */
  readonly #place: number
  #nameEnding = ''

  constructor(orgnr: string, kind: Kind, place: number) {
    this.#orgnr = orgnr
    this.#kind = kind
    this.#place = place
  }

  /** From now on the register has it under another name. */
  rename(ending: string): void {
    this.#nameEnding = ` ${ending}`
  }

  get enhet(): RegisterAnswer {
    const answer = this.#answers().enhet
    if (answer === undefined || !('json' in answer)) throw new Error('every company is a unit')
    const unit = answer.json as { navn: string }
    return { ...answer, json: { ...unit, navn: unit.navn + this.#nameEnding } }
  }
  get roller() {
    return this.#answers().roller
  }
  get signatur() {
    return this.#answers().signatur
  }
  get prokura() {
    return this.#answers().prokura
  }
  get regnskap() {
    return this.#answers().regnskap
  }
  get kunngjoringer() {
    return this.#answers().kunngjoringer
  }

  get rollerIAndreForetak() {
    return this.#answers().rollerIAndreForetak
  }
  /** Said, since all companies would be looked through otherwise for those that name it as theirs. */
  get underenheter() {
    return this.#answers().underenheter ?? okAnswer([])
  }
  get regnskapskopier() {
    return this.#answers().regnskapskopier
  }

  /** Its sources are asked together, so those asked last are remembered. */
  #answers(): CompanyAnswers {
    const known = latest.get(this)
    if (known !== undefined) return known
    const made = this.#make()
    latest.set(this, made)
    return made
  }

  #make(): CompanyAnswers {
    switch (this.#kind) {
      case 'standard':
        return trader(this.#orgnr, createInvention(1))
      case 'large':
        return renumbered(this.#orgnr)
      case 'mixed':
        return mixed(this.#orgnr, createInvention(Number(this.#orgnr)))
      case 'growing':
        return smallCompany(this.#orgnr, createInvention(Number(this.#orgnr)), {
          boardMembers: this.#place,
          hasAuditor: true,
          filings: Math.min(3, this.#place),
          announcements: 3 * this.#place,
        })
    }
  }
}

const latest = new LRUCache<BenchCompany, CompanyAnswers>({ max: 100 })

function mixed(orgnr: string, invent: Invention): CompanyAnswers {
  const share = invent.chance()
  if (share < 0.38) return soleProprietor(orgnr, invent)
  if (share < 0.58) return association(orgnr, invent)
  if (share < 0.588) return renumbered(orgnr)
  return smallCompany(orgnr, invent, {
    boardMembers: invent.whole(1, 5),
    hasAuditor: invent.chance() < 0.3,
    // Since October 2026 the register gives three years; one company in ten has filed nothing yet.
    filings: invent.chance() < 0.1 ? 0 : invent.whole(1, 3),
    announcements: invent.whole(2, 14),
  })
}

/** A sole proprietor of whom every source knows something: what a source has nothing of is asked for again every five minutes. */
function trader(orgnr: string, invent: Invention): CompanyAnswers {
  const self = { orgnr, navn: 'BENKEN', form: 'ENK' }
  return {
    ...soleProprietor(orgnr, invent),
    signatur: okAnswer(ingenFullmaktJson(self, 'signatur')),
    prokura: okAnswer(ingenFullmaktJson(self, 'prokura')),
    regnskap: okAnswer(filingsOf(orgnr, invent, 1)),
    kunngjoringer: announcementsOf(orgnr, invent, 1),
    rollerIAndreForetak: okAnswer(
      rollerHosAndre(orgnr, hos(SAMPLE.partOwned, 'NORDHAVN LOGISTIKK AS', 'AS', 'FFØR')),
    ),
    regnskapskopier: okAnswer(['2025']),
  }
}

function soleProprietor(orgnr: string, invent: Invention): CompanyAnswers {
  const registered = invent.date(1995, 2026)
  const { fornavn, etternavn, fodselsdato } = invent.person()
  return {
    enhet: okAnswer(
      enhetJson(orgnr, `${etternavn} ${fornavn}`.toUpperCase(), 'ENK', {
        forretningsadresse: invent.address(),
        registreringsdatoEnhetsregisteret: registered,
        naeringskode1: invent.industry(),
        institusjonellSektorkode: { kode: '8200', beskrivelse: 'Personlig næringsdrivende' },
        aktivitet: invent.purpose(1),
      }),
    ),
    roller: okAnswer(
      rollerJson(orgnr, gruppe('INNH', registered, rolle('INNH', person(fodselsdato, fornavn, etternavn)))),
    ),
  }
}

function association(orgnr: string, invent: Invention): CompanyAnswers {
  const registered = invent.date(1995, 2026)
  const members = Array.from({ length: invent.whole(2, 7) }, () => invent.person())
  return {
    enhet: okAnswer(
      enhetJson(orgnr, `${invent.surname()} OG OMEGN IDRETTSLAG`.toUpperCase(), 'FLI', {
        postadresse: invent.address(),
        forretningsadresse: invent.address(),
        registreringsdatoEnhetsregisteret: registered,
        registrertIFrivillighetsregisteret: true,
        registreringsdatoFrivillighetsregisteret: registered,
        naeringskode1: { kode: '93.120', beskrivelse: 'Idrettslag og -klubber' },
        institusjonellSektorkode: { kode: '7000', beskrivelse: 'Ideelle organisasjoner' },
        vedtektsdato: invent.date(2005, 2025),
        vedtektsfestetFormaal: invent.purpose(1),
        aktivitet: invent.purpose(1),
      }),
    ),
    roller: okAnswer(
      rollerJson(
        orgnr,
        gruppe(
          'STYR',
          invent.date(2015, 2026),
          ...members.map(({ fodselsdato, fornavn, etternavn }, place) =>
            rolle(place === 0 ? 'LEDE' : 'MEDL', person(fodselsdato, fornavn, etternavn)),
          ),
        ),
      ),
    ),
  }
}

function renumbered(orgnr: string): CompanyAnswers {
  // In no group: of one that is in any the group is asked for when the unit has said so, one call after the other.
  healthy ??= JSON.stringify(sampleAnswers().companies.get(SAMPLE.healthy)).replace(
    '"erIKonsern":true',
    '"erIKonsern":false',
  )
  return JSON.parse(healthy.replaceAll(SAMPLE.healthy, orgnr))
}

let healthy: string | undefined

/** From a series that is not given out, with right check digits. */
function* validNumbers(): Generator<string, never> {
  for (let base = 20_000_000; ; base++) {
    for (let digit = 0; digit < 10; digit++) {
      if (isOrganisasjonsnummer(`${base}${digit}`)) yield `${base}${digit}`
    }
  }
}
