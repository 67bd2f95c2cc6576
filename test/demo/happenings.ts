import { type AnswersCatalogue, type CompanyAnswers, okAnswer } from '#src/samples/answers.ts'
import { SAMPLE } from '#src/samples/numbers.ts'
import { slettetEnhetJson } from '#src/samples/shapes/enhet.ts'
import { gruppe, person, rolle, rollerJson } from '#src/samples/shapes/roller.ts'
import { troubles } from '#src/samples/troubles.ts'
import type { CompanySource } from '#src/sources/index.ts'
import type { RegisterStandIn } from '#test/support/register-stand-in.ts'

/** What can be made to happen to an invented company, and what the button says. */
export const HAPPENINGS = {
  konkurs: 'Gå konkurs',
  konkursAvsluttet: 'Avslutt konkursen',
  navn: 'Bytt navn',
  styremedlem: 'Nytt styremedlem',
  adresse: 'Flytt',
  slettet: 'Bli slettet',
  somFor: 'Alt som det var',
} as const

export type Happening = keyof typeof HAPPENINGS

export function isHappening(text: unknown): text is Happening {
  return typeof text === 'string' && Object.hasOwn(HAPPENINGS, text)
}

export type Happenings = ReturnType<typeof createHappenings>

/**
 * Lets things happen to invented companies: from then on the register answers so, and tells of it in its change feed, as the
 * real one does. What happened to a company stays so until all is made as it was.
 *
 * @param answers what the register knew from the beginning
 * @param now the day it happens on
 */
export function createHappenings(
  register: Pick<RegisterStandIn, 'set' | 'publish'>,
  { companies }: AnswersCatalogue,
  now: () => Date,
) {
  const choices = [...companies].flatMap(([orgnr, { enhet }]) => {
    const unit = enhet !== undefined && 'json' in enhet ? (enhet.json as Unit) : null
    const isOrdinary =
      unit?.respons_klasse === 'Enhet' && unit.organisasjonsform.kode === 'AS' && !unit.konkurs
    return isOrdinary && !isSpecial(orgnr) ? [{ orgnr, navn: unit.navn }] : []
  })
  const state = new Map<string, CompanyAnswers>()
  const answersOf = (orgnr: string) => state.get(orgnr) ?? companies.get(orgnr) ?? {}
  let rounds = 0

  function set(orgnr: string, changed: { [Source in CompanySource]?: CompanyAnswers[Source] | null }): void {
    const before = answersOf(orgnr)
    state.set(orgnr, { ...before, ...changed } as CompanyAnswers)
    for (const [source, answer] of Object.entries(changed))
      register.set(orgnr, source as CompanySource, answer ?? null)
  }

  /** The unit with other facts, and the register's patch of it. Null takes a field away. */
  function change(orgnr: string, facts: Readonly<Record<string, unknown>>): void {
    const before = unitIn(answersOf(orgnr))
    const after = Object.fromEntries(
      Object.entries({ ...before, ...facts }).filter(([, value]) => value !== null),
    )
    set(orgnr, { enhet: okAnswer(after) })
    const endringer = Object.entries(facts).map(([name, value]) => {
      const path = `/${name}`
      if (value === null) return { op: 'remove', path }
      return { op: name in before ? 'replace' : 'add', path, value }
    })
    register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Endring', endringer })
  }

  const acts: Record<Happening, (orgnr: string) => void> = {
    konkurs: (orgnr) => change(orgnr, { konkurs: true, konkursdato: today() }),
    konkursAvsluttet: (orgnr) => change(orgnr, { konkurs: false, konkursdato: null }),
    navn(orgnr) {
      const { navn, historiskeNavn } = unitIn(answersOf(orgnr))
      const [first] = choices.filter((each) => each.orgnr === orgnr)
      rounds += 1
      const past = { navn, fraDato: '2020-01-02 08:00:00', tilDato: `${today()} 08:00:00` }
      change(orgnr, { navn: `${first?.navn ?? navn} ${rounds}`, historiskeNavn: [past, ...historiskeNavn] })
    },
    styremedlem(orgnr) {
      const held = answersOf(orgnr).roller
      const all =
        held !== undefined && 'json' in held
          ? (held.json as ReturnType<typeof rollerJson>)
          : rollerJson(orgnr)
      const { rollegrupper, ...rest } = all
      const [fornavn = '', etternavn = ''] = NEWCOMERS[rounds++ % NEWCOMERS.length] ?? []
      const newcomer = rolle('MEDL', person('1984-05-17', fornavn, etternavn))
      const board = rollegrupper.find(({ type }) => type.kode === 'STYR')
      const members = board === undefined ? [] : board.roller
      const others = rollegrupper.filter((each) => each !== board)
      set(orgnr, {
        roller: okAnswer({
          ...rest,
          rollegrupper: [...others, gruppe('STYR', today(), ...members, newcomer)],
        }),
      })
      register.publish('roller', { organisasjonsnummer: orgnr })
    },
    adresse(orgnr) {
      rounds += 1
      const { forretningsadresse } = unitIn(answersOf(orgnr))
      change(orgnr, { forretningsadresse: { ...forretningsadresse, adresse: [`Nykaia ${rounds}`] } })
    },
    slettet(orgnr) {
      const { navn, organisasjonsform, historiskeNavn } = unitIn(answersOf(orgnr))
      const own = { slettedato: today(), historiskeNavn: [...historiskeNavn] }
      set(orgnr, {
        enhet: okAnswer(slettetEnhetJson(orgnr, navn, organisasjonsform.kode, own)),
        roller: null,
      })
      register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Sletting' })
    },
    somFor(orgnr) {
      const { enhet = null, roller = null } = companies.get(orgnr) ?? {}
      set(orgnr, { enhet, roller })
      // Without a patch: anything may be as it was.
      register.publish('enheter', { organisasjonsnummer: orgnr, endringstype: 'Endring' })
      register.publish('roller', { organisasjonsnummer: orgnr })
    },
  }

  const today = () => now().toISOString().slice(0, 10)

  return {
    /** Those it can happen to. */
    choices: choices as readonly { orgnr: string; navn: string }[],
    /** False: there is no such company here, or it is deleted, and only all as it was can happen to it. */
    happen(orgnr: string, happening: Happening): boolean {
      if (!choices.some((each) => each.orgnr === orgnr)) return false
      if (happening !== 'somFor' && unitIn(answersOf(orgnr)).respons_klasse !== 'Enhet') return false
      acts[happening](orgnr)
      return true
    },
  }
}

type Unit = {
  navn: string
  konkurs?: boolean
  respons_klasse: string
  organisasjonsform: { kode: string }
  historiskeNavn: readonly unknown[]
  forretningsadresse?: object
}

function unitIn({ enhet }: CompanyAnswers): Unit {
  if (enhet === undefined || !('json' in enhet)) throw new Error('expected a unit')
  return enhet.json as Unit
}

/** The seller is asked about by the shop, and the others are there to be troubled. */
function isSpecial(orgnr: string): boolean {
  return orgnr === SAMPLE.seller || troubles.some((trouble) => trouble.orgnr === orgnr)
}

const NEWCOMERS = [
  ['Ågot', 'Nesvær'],
  ['Jørn', 'Sjåvik'],
  ['Máret', 'Lásis'],
  ['Øystein', 'Brattås'],
]
