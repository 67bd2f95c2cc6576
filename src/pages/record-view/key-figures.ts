import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { NokkeltallName } from '#src/record/sections/regnskap/nokkeltall.ts'
import type { Aarsregnskap, Regnskap } from '#src/record/sections/regnskap.ts'
import { barChart, type ChartSeries, lineChart } from './figure-chart.ts'
import { numberText, percentText, worded } from './wording.ts'

const YEARS_MAX = 8

/** The years' key figures as three small charts, and as a table that has every number. */
export function keyFigures(accounts: Regnskap, language: Language, id: string): string {
  const t = words[language]
  const years = accounts.aar
    .flatMap(({ periode, selskap, konsern }) => {
      const shown = accounts.nokkeltallFra?.regnskapstype === 'KONSERN' ? konsern : selskap
      return shown === null ? [] : [{ year: Number(periode.tilDato.slice(0, 4)), accounts: shown }]
    })
    .slice(0, YEARS_MAX)
    .toReversed()
  const currency = years.at(-1)?.accounts.valuta ?? 'NOK'
  // One currency to a chart: a year in another is left out of it, and is in the table with its own.
  const inMillions = (name: NokkeltallName): (number | null)[] =>
    years.map(({ accounts }) => {
      const { belop } = accounts.nokkeltall[name]
      return belop === null || accounts.valuta !== currency ? null : belop / 1e6
    })
  const numbers = years.map(({ year }) => year)
  const turnover: ChartSeries = { name: t.turnover, values: inMillions('sumDriftsinntekter') }
  const results: ChartSeries[] = [
    { name: t.operating, values: inMillions('driftsresultat') },
    { name: t.result, values: inMillions('aarsresultat') },
  ]
  const equity: ChartSeries = {
    name: t.equityShare,
    values: years.map(({ accounts }) => {
      const share = accounts.forholdstall.egenkapitalandel
      return share === null ? null : share * 100
    }),
  }
  const millions = t.millions(currency)
  return html`<div class="figurer">
!${panel(t.turnover, millions, null, barChart({ years: numbers, series: [turnover], language, label: `${t.turnover}, ${millions}. ${t.seeTable}` }))}
!${panel(t.results, millions, results, barChart({ years: numbers, series: results, language, label: `${t.results}, ${millions}. ${t.seeTable}` }))}
!${panel(t.equityShare, t.percent, null, lineChart({ years: numbers, series: [equity], language, label: `${t.equityShare}, ${t.percent}. ${t.seeTable}` }))}
</div>
<details class="ds-details tabellbak">
<summary id="${id}-tabell">${t.table}</summary>
<div>
!${table({ years, currency }, language, `${id}-tabell`)}
</div>
</details>`
}

function panel(title: string, unit: string, legend: readonly ChartSeries[] | null, picture: string): string {
  const names =
    legend === null
      ? ''
      : html`<ul class="tegn">!${legend.map(({ name }, index) => html`<li class="tegn__${index}">${name}</li>`)}</ul>`
  return html`<figure class="figurer__en">
<figcaption><strong>${title}</strong> <span class="dempet">${unit}</span></figcaption>
!${picture}
!${names}
</figure>`
}

const shown = [
  'sumDriftsinntekter',
  'driftsresultat',
  'aarsresultat',
  'sumEiendeler',
  'sumEgenkapital',
  'sumGjeld',
] as const

function table(
  { years, currency }: { years: readonly { year: number; accounts: Aarsregnskap }[]; currency: string },
  language: Language,
  labelledBy: string,
): string {
  const t = words[language]
  const amount = (accounts: Aarsregnskap, name: NokkeltallName) => {
    const { belop, opplysning } = accounts.nokkeltall[name]
    if (belop === null) return worded(t.missing, opplysning)
    const amount = numberText(belop / 1000, language)
    return accounts.valuta === currency ? amount : `${accounts.valuta} ${amount}`
  }
  return html`<div class="rull" tabindex="0" role="region" aria-labelledby="${labelledBy}">
<table class="ds-table tall">
<caption class="ds-sr-only">${t.table}</caption>
<thead><tr><th scope="col">${t.thousands(currency)}</th>!${years.map(({ year }) => html`<th scope="col">${year}</th>`)}</tr></thead>
<tbody>
!${shown.map(
    (name) =>
      html`<tr><th scope="row">${t.names[name]}</th>!${years.map(({ accounts }) => html`<td>${amount(accounts, name)}</td>`)}</tr>`,
  )}
<tr><th scope="row">${t.equityShare}</th>!${years.map(({ accounts }) => html`<td>${share(accounts.forholdstall.egenkapitalandel, language)}</td>`)}</tr>
<tr><th scope="row">${t.margin}</th>!${years.map(({ accounts }) => html`<td>${share(accounts.forholdstall.driftsmargin, language)}</td>`)}</tr>
</tbody>
</table>
</div>`
}

function share(value: number | null, language: Language): string {
  return value === null ? '–' : percentText(value * 100, language)
}

const words = {
  nb: {
    turnover: 'Driftsinntekter',
    results: 'Resultat',
    operating: 'Driftsresultat',
    result: 'Årsresultat',
    equityShare: 'Egenkapitalandel',
    margin: 'Driftsmargin',
    percent: 'prosent',
    thousands: (currency: string) => (currency === 'NOK' ? 'Tusen kroner' : `Tusen ${currency}`),
    millions: (currency: string) => (currency === 'NOK' ? 'millioner kroner' : `millioner ${currency}`),
    table: 'Tallene år for år',
    seeTable: 'Tallene står i tabellen under figurene.',
    missing: { oppgitt: '–', ikke_fort: 'ikke ført', ikke_pliktig: '–', ikke_hentet: 'ikke hentet' },
    names: {
      sumDriftsinntekter: 'Driftsinntekter',
      driftsresultat: 'Driftsresultat',
      aarsresultat: 'Årsresultat',
      sumEiendeler: 'Eiendeler',
      sumEgenkapital: 'Egenkapital',
      sumGjeld: 'Gjeld',
    },
  },
  en: {
    turnover: 'Operating income',
    results: 'Result',
    operating: 'Operating result',
    result: 'Result of the year',
    equityShare: 'Equity ratio',
    margin: 'Operating margin',
    percent: 'per cent',
    thousands: (currency: string) => `${currency} thousand`,
    millions: (currency: string) => `${currency} million`,
    table: 'The figures, year by year',
    seeTable: 'The numbers are in the table below the charts.',
    missing: {
      oppgitt: '–',
      ikke_fort: 'not entered',
      ikke_pliktig: '–',
      ikke_hentet: 'not fetched',
    },
    names: {
      sumDriftsinntekter: 'Operating income',
      driftsresultat: 'Operating result',
      aarsresultat: 'Result of the year',
      sumEiendeler: 'Assets',
      sumEgenkapital: 'Equity',
      sumGjeld: 'Debt',
    },
  },
}
