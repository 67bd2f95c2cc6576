import type { Language } from '#src/core/language.ts'
import type { Treff } from '#src/search/answer.ts'
import { dateText, orgnrText } from '../record-view/wording.ts'

/** Why a company is a hit, for whoever looks at the list. */
export function whyText({ hvorfor }: Pick<Treff, 'hvorfor'>, language: Language): string {
  const t = words[language]
  const { grunn, navn, fra, til, underenhet } = hvorfor
  const years =
    fra === null && til === null
      ? ''
      : ` (${[fra, til].map((each) => (each === null ? '' : dateText(each, language))).join('–')})`
  const unit = underenhet === null ? '' : ` (${orgnrText(underenhet)})`
  return `${t.why[grunn]?.(navn) ?? grunn}${years}${unit}`
}

/** Form, number and place, as one line. */
export function aboutText(
  { organisasjonsnummer, organisasjonsform, poststed, kommune, type }: Treff,
  language: Language,
): string {
  const form = organisasjonsform?.kode ?? ''
  return [
    orgnrText(organisasjonsnummer),
    type === 'underenhet' ? words[language].subUnit : form,
    poststed ?? kommune?.navn ?? '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

export const bandWords: Record<Language, Record<string, string>> = {
  nb: { sikker: 'Sikkert', velg: 'Velg selv', ingen: 'Ikke funnet' },
  en: { sikker: 'Certain', velg: 'Choose', ingen: 'Not found' },
}

const words: Record<Language, { subUnit: string; why: Record<string, (name: string) => string> }> = {
  nb: {
    subUnit: 'underenhet',
    why: {
      organisasjonsnummer: () => 'Nummeret er foretakets.',
      navn: () => 'Navnet er det du skrev.',
      navn_uten_tillegg: () => 'Navnet er det du skrev, bortsett fra tillegg.',
      navnet_begynner_slik: () => 'Navnet begynner slik.',
      alle_ord: () => 'Navnet har alle ordene.',
      noen_ord: () => 'Navnet har noen av ordene.',
      likhet: (name) => `Ligner på «${name}».`,
      tidligere_navn: (name) => `Het før «${name}»`,
      kortnavn: (name) => `Kalles «${name}».`,
      forbokstaver: () => 'Forbokstavene er de du skrev.',
      underenhet: (name) => `Har underenheter som heter «${name}»`,
      nettsted: (name) => `Har nettstedet ${name}.`,
      telefon: (name) => `Har telefonnummeret ${name}.`,
    },
  },
  en: {
    subUnit: 'sub-unit',
    why: {
      organisasjonsnummer: () => 'The number is the company’s.',
      navn: () => 'The name is what you typed.',
      navn_uten_tillegg: () => 'The name is what you typed, but for additions.',
      navnet_begynner_slik: () => 'The name begins so.',
      alle_ord: () => 'The name has all the words.',
      noen_ord: () => 'The name has some of the words.',
      likhet: (name) => `Is like “${name}”.`,
      tidligere_navn: (name) => `Was called “${name}”`,
      kortnavn: (name) => `Is called “${name}”.`,
      forbokstaver: () => 'The initials are those you typed.',
      underenhet: (name) => `Has sub-units called “${name}”`,
      nettsted: (name) => `Has the site ${name}.`,
      telefon: (name) => `Has the telephone number ${name}.`,
    },
  },
}
