import { dateFormat } from '#src/core/formats.ts'
import type { Language } from '#src/core/language.ts'
import type { DayCondition, PublicStatus, SourceCondition } from '#src/ops/public-status.ts'
import { askedOf, isRegisterSource } from '#src/sources/index.ts'

export type StatusLanguage = Language

/** What another process reports under a name this release does not know stands as it is. */
export function sourceName(source: string, language: Language): string {
  return isRegisterSource(source) ? askedOf(source).title[language] : source
}

/** From when to when, how many calls failed, and whether an answer was heard again: as text. */
export function incidentWords(
  { fra, til, svarteIgjen, svar, feil }: PublicStatus['hendelser'][number],
  language: Language,
): string {
  const t = statusWords[language]
  const again = svarteIgjen === null ? t.notHeardSince : t.heardAgain(shortTime(svarteIgjen, language))
  return `${t.failed(feil, svar + feil, shortTime(fra, language), shortTime(til, language))} ${again}`
}

/** Norway's: "12. nov. kl. 09:12". */
function shortTime(at: string, language: Language): string {
  const { day, clock } = timeParts(at, language)
  return `${day} ${clock}`
}

/** In two, each of which stays together on a narrow screen. */
export function timeParts(at: string, language: Language): { day: string; clock: string } {
  return {
    day: shortDay(at, language),
    clock: `${statusWords[language].clock} ${say(at, language, { timeStyle: 'short' })}`,
  }
}

/** Of a moment, or of a day as such, which is the same everywhere. */
export function shortDay(at: string, language: Language): string {
  return say(at.length === 10 ? `${at}T12:00:00Z` : at, language, { day: 'numeric', month: 'short' })
}

function say(at: string, language: Language, parts: Intl.DateTimeFormatOptions): string {
  return dateFormat(language === 'nb' ? 'nb-NO' : 'en-GB', {
    timeZone: 'Europe/Oslo',
    ...parts,
  }).format(new Date(at))
}

type PageWords = {
  conditions: Record<SourceCondition, string>
  days: Record<DayCondition, string>
  feedHeadings: readonly string[]
}

export const statusWords = {
  nb: {
    title: 'Driftsstatus',
    description:
      'Om tjenesten er oppe, hvordan hvert register svarer og har svart i nitti dager, og hvor ferskt det som vises er.',
    allIsWell: 'Tjenesten er oppe, og ingenting er galt.',
    nothingKnown:
      'Tjenesten er oppe. Registrene er ikke spurt siden den ble startet, så hvordan de svarer, er ikke kjent.',
    someKnown: (count: number) =>
      `Tjenesten er oppe, og det som er spurt, svarer. ${count} ${count === 1 ? 'kilde er' : 'kilder er'} ikke spurt siden den ble startet.`,
    notAllIsWell: 'Tjenesten er oppe, men ikke alt er ferskt.',
    meanwhile: 'Det vi har fra før, vises så lenge, merket som utdatert.',
    late: (name: string, behind: string) => `Endringer i ${name} ligger ${behind} etter.`,
    asOf: 'Per',
    asJson: 'Som JSON',
    asFeed: 'Hendelser som strøm (Atom)',
    hours: 't',
    clock: 'kl.',
    since: 'siden',
    lastAnswer: 'Siste svar',
    lastFailure: 'Siste feil',
    sources: 'Kilder, nitti dager',
    legend: 'Hver strek er en dag, og i dag står til høyre. Jo høyere strek, desto bedre svarte kilden:',
    daysMean:
      'Uten svar: halvparten av forespørslene feilet, eller flere. Delvis: én av femti eller flere. Ikke spurt: ingen slo opp noe hos kilden den dagen, så vi vet ikke. «I drift siden» regnes fra siste hendelse var over, eller fra vi først spurte.',
    summary: (counted: string) => `Nitti dager: ${counted}.`,
    daysWithFailures: (count: number) => `${count} ${count === 1 ? 'dag' : 'dager'} med feil`,
    ofFailed: (failed: number, all: number) => `${failed} av ${all} forespørsler feilet`,
    unread: 'Hvordan kildene har svart tidligere, kan ikke leses nå.',
    incidents: 'Hendelser',
    noIncidents: 'Ingen hendelser er målt de siste nitti dagene.',
    incidentsMean:
      'En hendelse er minst tre forespørsler som feilet, i kvarter da minst halvparten gjorde det. Tidene er den første og den siste som feilet.',
    more: (count: number) => `${count} eldre står i strømmen og i JSON.`,
    failed: (failed: number, all: number, from: string, to: string) =>
      `${failed} av ${all} forespørsler feilet mellom ${from} og ${to}.`,
    heardAgain: (at: string) => `Svarte igjen ${at}.`,
    notHeardSince: 'Ingen svar er hørt siden.',
    answersAgain: 'svarer igjen',
    noAnswerYet: 'svarer ikke',
    feedsCaption: 'Endringer som følges',
    feedHeadings: ['Endringer i', 'Etterslep', 'Nyeste endring'],
    feedsMean: 'Etterslepet er hvor lenge noe et register har kunngjort, kan mangle her.',
    heard: 'Per',
    conditions: {
      i_drift: 'I drift',
      ustabil: 'Svarte ikke sist',
      nede: 'Svarer ikke',
      ukjent: 'Ikke spurt',
    },
    days: { i_drift: 'i drift', ustabil: 'delvis', nede: 'uten svar', ikke_spurt: 'ikke spurt' },
    feeds: { enheter: 'enheter', underenheter: 'underenheter', roller: 'roller' },
  },
  en: {
    title: 'Service status',
    description:
      'Whether the service is up, how each register answers and has answered for ninety days, and how fresh what is shown is.',
    allIsWell: 'The service is up, and nothing is wrong.',
    nothingKnown:
      'The service is up. The registers have not been asked since it was started, so how they answer is not known.',
    someKnown: (count: number) =>
      `The service is up, and what was asked answers. ${count} ${count === 1 ? 'source has' : 'sources have'} not been asked since it was started.`,
    notAllIsWell: 'The service is up, but not everything is fresh.',
    meanwhile: 'What we have from before is shown meanwhile, marked as stale.',
    late: (name: string, behind: string) => `Changes of ${name} are ${behind} late.`,
    asOf: 'As of',
    asJson: 'As JSON',
    asFeed: 'Incidents as a feed (Atom)',
    hours: 'h',
    clock: 'at',
    since: 'since',
    lastAnswer: 'Last answer',
    lastFailure: 'Last failure',
    sources: 'Sources, ninety days',
    legend: 'Each bar is a day, with today to the right. The higher the bar, the better the source answered:',
    daysMean:
      'No answer: half of the requests failed, or more. Partly: one in fifty or more. Not asked: nobody looked anything up at the source that day, so we do not know. “Working since” is from the end of the last incident, or from when we first asked. Times are Norway’s.',
    summary: (counted: string) => `Ninety days: ${counted}.`,
    daysWithFailures: (count: number) => `${count} ${count === 1 ? 'day' : 'days'} with failures`,
    ofFailed: (failed: number, all: number) => `${failed} of ${all} requests failed`,
    unread: 'How the sources have answered before can not be read now.',
    incidents: 'Incidents',
    noIncidents: 'No incidents have been measured in the last ninety days.',
    incidentsMean:
      'An incident is at least three requests that failed, in quarters of an hour in which at least half did. The times are those of the first and the last that failed.',
    more: (count: number) => `${count} older ones are in the feed and in the JSON.`,
    failed: (failed: number, all: number, from: string, to: string) =>
      `${failed} of ${all} requests failed between ${from} and ${to}.`,
    heardAgain: (at: string) => `It answered again ${at}.`,
    notHeardSince: 'No answer has been heard since.',
    answersAgain: 'answers again',
    noAnswerYet: 'not answering',
    feedsCaption: 'Changes that are followed',
    feedHeadings: ['Changes of', 'Lag', 'Newest change'],
    feedsMean: 'The lag is how long something a register has published may be missing here.',
    heard: 'As of',
    conditions: {
      i_drift: 'Working',
      ustabil: 'Failed last time',
      nede: 'Not answering',
      ukjent: 'Not asked',
    },
    days: { i_drift: 'working', ustabil: 'partly', nede: 'no answer', ikke_spurt: 'not asked' },
    feeds: { enheter: 'units', underenheter: 'sub-units', roller: 'roles' },
  },
} as const satisfies Record<Language, PageWords & Record<string, unknown>>
