import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import type { DayCondition, PublicStatus } from '#src/ops/public-status.ts'
import { shortDay, statusWords } from './status-words.ts'

type Day = PublicStatus['kilder'][number]['dager'][number]

/** What the height of a bar says is said by its colour as well, and in words beneath. */
const HEIGHTS: Record<DayCondition, number> = { i_drift: 28, ustabil: 17, nede: 8, ikke_spurt: 2 }
const CONDITIONS = Object.keys(HEIGHTS) as DayCondition[]
const STEP = 4
const TALLEST = 28

/** Ninety days as bars, with what they say in words: how many of each, and each day on which something failed. */
export function dayBars(days: readonly Day[], language: Language): string {
  const t = statusWords[language]
  const failed = days.filter(({ feil }) => feil > 0)
  const counted = CONDITIONS.map((condition) => ({
    condition,
    count: days.filter(({ drift }) => drift === condition).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ condition, count }) => `${count} ${t.days[condition]}`)
    .join(', ')
  return html`<svg class="dagstreker" viewBox="0 0 ${days.length * STEP - 1} ${TALLEST}" preserveAspectRatio="none" role="img" aria-label="${t.summary(counted)}">
!${CONDITIONS.map((condition) => {
    const bars = days.flatMap(({ drift }, index) => (drift === condition ? [bar(condition, index)] : []))
    return bars.length === 0 ? '' : html`<path class="dagstreker__${condition}" d="!${bars.join('')}"/>`
  })}</svg>
!${
    failed.length === 0
      ? ''
      : html`<details class="ds-details driftsstatus__feil"><summary>${t.daysWithFailures(failed.length)}</summary><div><ul class="ds-list">!${failed
          .toReversed()
          .map(
            ({ dag, drift, svar, feil }) =>
              html`<li><time datetime="${dag}">${shortDay(dag, language)}</time>: ${t.days[drift]}, ${t.ofFailed(feil, svar + feil)}</li>`,
          )}</ul></div></details>`
  }`
}

/** Each kind of bar with its word. */
export function dayLegend(language: Language): string {
  const t = statusWords[language]
  return html`<p class="ds-paragraph dempet">${t.legend}</p>
<ul class="dagstreker-forklaring">!${CONDITIONS.map(
    (condition) =>
      html`<li><svg class="dagstreker" viewBox="0 0 3 ${TALLEST}" width="6" height="${TALLEST}" preserveAspectRatio="none" aria-hidden="true"><path class="dagstreker__${condition}" d="${bar(condition, 0)}"/></svg> ${t.days[condition]}</li>`,
  )}</ul>`
}

function bar(condition: DayCondition, index: number): string {
  const height = HEIGHTS[condition]
  return `M${index * STEP} ${TALLEST - height}h3v${height}h-3z`
}
