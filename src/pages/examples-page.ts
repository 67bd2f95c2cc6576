import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { SAMPLE, type SampleName } from '#src/samples/numbers.ts'
import { type ExampleGroup, exampleGroups, examples } from './example-words.ts'
import type { PageContent } from './layout.ts'
import { orgnrText } from './record-view/wording.ts'
import type { Visitor } from './visitor.ts'

/**
 * Every invented company, and what each is there to show.
 *
 * @param nameOf null for one that was removed, which has none
 */
export function examplesPage(
  nameOf: (name: SampleName) => string | null,
  { language, at }: Visitor,
): PageContent {
  const t = words[language]
  const item = (name: SampleName) => {
    const orgnr = SAMPLE[name]
    return html`<li><h3 class="ds-heading" data-size="2xs"><a class="ds-link" href="${at(`/eksempel/${orgnr}`)}">${nameOf(name) ?? t.nameless}</a></h3> <span class="eksempler__nummer">${orgnrText(orgnr)}</span> <p class="ds-paragraph">${examples[name][language]}</p></li>`
  }
  return {
    title: t.title,
    description: t.lead,
    main: html`<div class="ramme luft">
<h1 class="ds-heading" data-size="lg">${t.title}</h1>
<p class="ds-paragraph ingress">${t.lead}</p>
<p class="ds-paragraph dempet eksempler__om">${t.api}</p>
!${Object.entries(exampleGroups).map(
      ([group, names]) => html`<section class="oppslag__del" aria-labelledby="${group}">
<h2 class="ds-heading" data-size="sm" id="${group}">${t.groups[group as ExampleGroup]}</h2>
<ul class="eksempler">!${names.map(item)}</ul>
</section>`,
    )}
</div>`,
  }
}

type PageWords = {
  title: string
  lead: string
  api: string
  nameless: string
  groups: Record<ExampleGroup, string>
}

const words: Record<Language, PageWords> = {
  nb: {
    title: 'Oppdiktede foretak',
    lead: 'Ingen av dem finnes. Hvert av dem viser noe et svar kan inneholde, slik registrene forteller det.',
    api: 'Oppføringene er satt sammen av tjenesten selv. I demoen svarer API-et på de samme numrene; registrene kjenner dem ikke.',
    nameless: 'Uten navn',
    groups: {
      hele: 'Begynn her',
      eierskap: 'Eiere og eierskap',
      tilstander: 'Konkurs, oppløsning og sletting',
      former: 'Andre former',
      kilder: 'Når en kilde svikter',
      ogsa: 'Med i historien',
    },
  },
  en: {
    title: 'Invented companies',
    lead: 'None of them exists. Each shows something an answer may hold, as the registers would tell of it.',
    api: 'The records are put together by the service itself. In the demo the API answers for the same numbers; the registers do not know them.',
    nameless: 'Nameless',
    groups: {
      hele: 'Begin here',
      eierskap: 'Owners and ownership',
      tilstander: 'Bankruptcy, dissolution and deletion',
      former: 'Other forms',
      kilder: 'When a source fails',
      ogsa: 'Part of the story',
    },
  },
}
