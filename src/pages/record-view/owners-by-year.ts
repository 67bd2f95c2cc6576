import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { Aksjonaer } from '#src/record/sections/aksjonaer.ts'
import type { Endringer } from '#src/record/sections/aksjonaerendringer.ts'
import type { Aksjonaerer } from '#src/record/sections/aksjonaerer.ts'
import type { Aar } from '#src/record/sections/aksjonaerhistorikk.ts'
import { type LinkTo, linked } from './link-to.ts'
import { dateText, numberText, percentText, worded } from './wording.ts'

type Holder = Omit<Aksjonaer, 'plass' | 'klasser'>

/** The holders of the newest year, and of every year before it that is there, with who came and who left. */
export function ownersByYear(data: Aksjonaerer, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const { storste, innehavere, aksjerTotalt, avvik } = data
  const facts = [
    t.asOf(dateText(data.gjelderPer, language)),
    innehavere === null ? null : t.holders(innehavere, numberText(innehavere, language)),
    aksjerTotalt === null ? null : t.shares(numberText(aksjerTotalt, language)),
  ]
  const [, ...before] = data.historikk
  return html`<p class="ds-paragraph">${facts.filter((each) => each !== null).join(' ')}</p>
!${avvik.map((code) => html`<p class="mangler"><span class="ds-tag" data-color="warning">${t.note}</span> <span>${worded(t.deviations, code)}</span></p>`)}
!${storste === null ? html`<p class="ds-paragraph">${t.notInFile(data.aar)}</p>` : yearTable(storste, innehavere, language, linkTo)}
!${changesOf(data.historikk[0]?.endringer ?? null, language)}
!${years(before, language, linkTo)}
<p class="dempet" lang="nb">${data.forbehold}</p>`
}

function yearTable(
  holders: readonly Holder[],
  all: number | null,
  language: Language,
  linkTo: LinkTo,
): string {
  const t = words[language]
  const left = (all ?? holders.length) - holders.length
  return html`<div class="rull" tabindex="0" role="region" aria-label="${t.table}">
<table class="ds-table tall">
<thead><tr><th scope="col">${t.holder}</th><th scope="col">${t.count}</th><th scope="col">${t.share}</th></tr></thead>
<tbody>
!${holders.map(
    (each) =>
      html`<tr><th scope="row">!${holder(each, language, linkTo)}</th><td>${numberText(each.aksjer, language)}</td><td>${each.prosent === null ? '–' : percentText(each.prosent, language)}</td></tr>`,
  )}
</tbody>
</table>
</div>
!${left > 0 ? html`<p class="dempet">${t.more(numberText(holders.length, language), numberText(all ?? 0, language))}</p>` : ''}`
}

function holder(each: Omit<Holder, 'aksjer' | 'prosent'>, language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const about = each.fodselsaar === null ? (each.landkode ?? '') : t.born(each.fodselsaar)
  const name = each.skjult ? t.hidden : (each.navn ?? t.unknown)
  const kind = each.type === 'forvalter' ? t.nominee : ''
  const more = [about, kind].filter((part) => part !== '').join(', ')
  return html`!${linked(name, each.organisasjonsnummer, linkTo)}!${more === '' ? '' : html` <span class="dempet eier__om">${more}</span>`}`
}

function years(history: readonly Aar[], language: Language, linkTo: LinkTo): string {
  const t = words[language]
  const imported = history.filter(({ arkivet }) => arkivet === 'importert')
  const lacking = history.filter(({ arkivet }) => arkivet === 'ikke_importert').map(({ aar }) => aar)
  return html`!${imported.map(
    (year) => html`<details class="ds-details tabellbak">
<summary>${summary(year, language)}</summary>
<div>
!${changesOf(year.endringer, language)}
!${year.storste === null ? html`<p class="ds-paragraph">${t.notInFile(year.aar)}</p>` : yearTable(year.storste, year.innehavere, language, linkTo)}
</div>
</details>`,
  )}
!${lacking.length === 0 ? '' : html`<p class="dempet">${t.lacking(ranges(lacking))}</p>`}`
}

function summary({ aar, innehavere, endringer }: Aar, language: Language): string {
  const t = words[language]
  const parts = [
    innehavere === null
      ? t.notThere
      : t.holders(innehavere, numberText(innehavere, language)).replace('.', ''),
    endringer === null || endringer.inn.antall === 0
      ? null
      : t.cameIn(numberText(endringer.inn.antall, language)),
    endringer === null || endringer.ut.antall === 0
      ? null
      : t.wentOut(numberText(endringer.ut.antall, language)),
  ]
  return `${aar}: ${parts.filter((part) => part !== null).join(', ')}`
}

/** Who came, left, bought and sold since the year before; nothing when nothing changed or nothing can be compared. */
function changesOf(changes: Endringer | null, language: Language): string {
  if (changes === null) return ''
  const t = words[language]
  const kinds = (['inn', 'ut', 'opp', 'ned'] as const).filter((kind) => changes[kind].antall > 0)
  if (kinds.length === 0) return html`<p class="ds-paragraph">${t.unchanged(changes.motAar)}</p>`
  return html`<p class="ds-paragraph endringer__mot">${t.since(changes.motAar)}!${changes.omfatter === 'alle' ? '' : html` ${t.largestOnly}`}</p>
<dl class="fakta endringer">!${kinds.map((kind) => {
    const { antall, navngitte } = changes[kind]
    const named = navngitte.map(
      (each) =>
        `${each.skjult ? t.hidden : (each.navn ?? t.unknown)} (${t.fromTo(numberText(each.fra, language), numberText(each.til, language))})`,
    )
    const rest = antall - navngitte.length
    return html`<div><dt>${t.kinds[kind]}</dt><dd>${[...named, ...(rest > 0 ? [t.others(numberText(rest, language))] : [])].join('; ')}</dd></div>`
  })}</dl>`
}

/** `2002–2019, 2021`, of years that fall. */
function ranges(falling: readonly number[]): string {
  const runs: [number, number][] = []
  for (const year of falling.toReversed()) {
    const last = runs.at(-1)
    if (last !== undefined && last[1] === year - 1) last[1] = year
    else runs.push([year, year])
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ')
}

const words = {
  nb: {
    asOf: (date: string) => `Per ${date}.`,
    holders: (count: number, text: string) => (count === 1 ? '1 aksjonær.' : `${text} aksjonærer.`),
    shares: (count: string) => `${count} aksjer i alt.`,
    note: 'Merk',
    deviations: {
      total_mangler: 'Selskapet har ikke oppgitt hvor mange aksjer det har: ingen andeler kan regnes ut.',
      sum_over_total: 'Aksjonærene har flere aksjer enn selskapet har oppgitt; andelene er av summen.',
      sum_over_150_prosent: 'Aksjeboken er åpenbart gal, og ingen andeler vises.',
      sum_under_total: 'Noen av aksjene er uten oppgitt aksjonær.',
    },
    notInFile: (year: number) => `Foretaket står ikke i filen for ${year}.`,
    notThere: 'ikke i filen',
    table: 'Aksjonærer, tabell',
    holder: 'Aksjonær',
    count: 'Aksjer',
    share: 'Andel',
    more: (shown: string, all: string) => `De ${shown} største av ${all}.`,
    hidden: 'Vises ikke',
    unknown: 'Ukjent',
    born: (year: number) => `f. ${year}`,
    nominee: 'forvalter: eier for andre',
    lacking: (years: string) => `Ikke lest inn her: ${years}. Det sier ingenting om foretaket.`,
    cameIn: (count: string) => `${count} inn`,
    wentOut: (count: string) => `${count} ut`,
    unchanged: (year: number) => `Ingen endringer siden ${year}.`,
    since: (year: number) => `Siden ${year}:`,
    largestOnly: '(bare de største er sammenlignet)',
    kinds: { inn: 'Kom inn', ut: 'Gikk ut', opp: 'Flere aksjer', ned: 'Færre aksjer' },
    fromTo: (before: string, after: string) => `fra ${before} til ${after}`,
    others: (count: string) => `og ${count} til`,
  },
  en: {
    asOf: (date: string) => `As of ${date}.`,
    holders: (count: number, text: string) => (count === 1 ? '1 shareholder.' : `${text} shareholders.`),
    shares: (count: string) => `${count} shares in all.`,
    note: 'Note',
    deviations: {
      total_mangler: 'The company has not stated how many shares it has: no percentage can be told.',
      sum_over_total:
        'The holders have more shares than the company has stated; percentages are of their sum.',
      sum_over_150_prosent: 'The share book is evidently wrong, and no percentages are shown.',
      sum_under_total: 'Some of the shares are without a stated holder.',
    },
    notInFile: (year: number) => `The company is not in the file for ${year}.`,
    notThere: 'not in the file',
    table: 'Shareholders, table',
    holder: 'Shareholder',
    count: 'Shares',
    share: 'Per cent',
    more: (shown: string, all: string) => `The ${shown} largest of ${all}.`,
    hidden: 'Not shown',
    unknown: 'Unknown',
    born: (year: number) => `b. ${year}`,
    nominee: 'nominee: holds for others',
    lacking: (years: string) => `Not read in here: ${years}. That says nothing of the company.`,
    cameIn: (count: string) => `${count} came`,
    wentOut: (count: string) => `${count} left`,
    unchanged: (year: number) => `No changes since ${year}.`,
    since: (year: number) => `Since ${year}:`,
    largestOnly: '(only the largest were compared)',
    kinds: { inn: 'Came', ut: 'Left', opp: 'More shares', ned: 'Fewer shares' },
    fromTo: (before: string, after: string) => `from ${before} to ${after}`,
    others: (count: string) => `and ${count} more`,
  },
}
