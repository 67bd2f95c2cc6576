import type { PageContent } from '../layout.ts'
import { messagePage, nextButton } from '../message-page.ts'
import { dateText, orgnrText } from '../record-view/wording.ts'
import type { Visitor } from '../visitor.ts'

/** What is left of a company that was taken out of the open register: its number, and since when. */
export function removedPage(
  { orgnr, slettedato }: { orgnr: string; slettedato: string | null },
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  const date = slettedato === null ? null : dateText(slettedato, language)
  return messagePage({
    title: t.removedTitle,
    text: t.removed(orgnrText(orgnr), date),
    next: nextButton(t.other, at('/oppslag'), { isSecondary: true }),
  })
}

/** Nobody has the number. */
export function unknownCompanyPage(orgnr: string, { language, at }: Visitor): PageContent {
  const t = words[language]
  return messagePage({
    title: t.unknownTitle,
    text: t.unknown(orgnrText(orgnr)),
    next: nextButton(t.other, at('/oppslag'), { isSecondary: true }),
  })
}

const words = {
  nb: {
    removedTitle: 'Fjernet fra registeret',
    removed: (orgnr: string, date: string | null) =>
      `${orgnr} er fjernet fra det åpne registeret på rettslig grunnlag${date === null ? '' : `, ${date}`}. Vi viser ikke noe mer om foretaket, og har slettet det vi hadde.`,
    unknownTitle: 'Ingen har dette nummeret',
    unknown: (orgnr: string) =>
      `Registeret kjenner ikke ${orgnr}. Nummeret er riktig bygd opp, så et siffer kan være byttet med et annet.`,
    other: 'Slå opp et annet',
  },
  en: {
    removedTitle: 'Removed from the register',
    removed: (orgnr: string, date: string | null) =>
      `${orgnr} has been removed from the open register on legal grounds${date === null ? '' : `, ${date}`}. We show nothing more of the company, and have erased what we had.`,
    unknownTitle: 'Nobody has this number',
    unknown: (orgnr: string) =>
      `The register does not know ${orgnr}. The number is rightly made, so a digit may have been taken for another.`,
    other: 'Look up another',
  },
}
