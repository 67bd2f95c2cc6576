import { scaleBand, scaleLinear } from 'd3-scale'
import { area, curveMonotoneX, line } from 'd3-shape'
import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { numberText } from './wording.ts'

export type ChartSeries = {
  name: string
  /** One for each year; null is not known, and is not drawn. */
  values: readonly (number | null)[]
}

const WIDTH = 340
const HEIGHT = 216
const INNER = { left: 38, right: 6, top: 14, bottom: 26 }
/** Of a digit on the axis, and of what stands between the number and the picture. */
const DIGIT_WIDTH = 6.7
const AXIS_GAP = 12

/** Some years as bars, one beside the other for each series, from a line at zero: a loss hangs below it. */
export function barChart({ years, series, label, language }: ChartOf): string {
  const y = heights(series)
  const left = leftOf(y, language)
  const x = scaleBand<number>()
    .domain([...years])
    .range([left, WIDTH - INNER.right])
    .padding(0.28)
  const within = scaleBand<number>()
    .domain(series.map((_, index) => index))
    .range([0, x.bandwidth()])
    .padding(series.length > 1 ? 0.12 : 0)
  const bars = series.flatMap(({ values }, at) =>
    values.flatMap((value, index) => {
      const year = years[index]
      if (value === null || year === undefined) return []
      const top = Math.min(y(value), y(0))
      return html`<rect class="figur__stolpe figur__stolpe--${at}" x="${round((x(year) ?? 0) + (within(at) ?? 0))}" y="${round(top)}" width="${round(within.bandwidth())}" height="${round(Math.max(1, Math.abs(y(value) - y(0))))}" rx="2"/>`
    }),
  )
  const across = (year: number) => (x(year) ?? 0) + x.bandwidth() / 2
  return chart({ label, years, language, left, x: across, y, marks: bars })
}

/** One series as a line with the area under it; a gap where a year is not known. */
export function lineChart({ years, series, label, language }: ChartOf): string {
  const y = heights(series)
  const left = leftOf(y, language)
  const x = scaleBand<number>()
    .domain([...years])
    .range([left, WIDTH - INNER.right])
    .padding(0.28)
  const across = (year: number) => (x(year) ?? 0) + x.bandwidth() / 2
  const points = (series[0]?.values ?? []).map((value, index) => ({ value, year: years[index] ?? 0 }))
  const isKnown = ({ value }: { value: number | null }) => value !== null
  const shape = line<(typeof points)[number]>()
    .defined(isKnown)
    .x(({ year }) => round(across(year)))
    .y(({ value }) => round(y(value ?? 0)))
    .curve(curveMonotoneX)
  const under = area<(typeof points)[number]>()
    .defined(isKnown)
    .x(({ year }) => round(across(year)))
    .y0(round(y(0)))
    .y1(({ value }) => round(y(value ?? 0)))
    .curve(curveMonotoneX)
  const dots = points
    .filter(isKnown)
    .map(
      ({ year, value }) =>
        html`<circle class="figur__punkt" cx="${round(across(year))}" cy="${round(y(value ?? 0))}" r="4"/>`,
    )
  return chart({
    label,
    years,
    language,
    left,
    x: across,
    y,
    marks: [
      html`<path class="figur__flate" d="${under(points) ?? ''}"/>`,
      html`<path class="figur__kurve" d="${shape(points) ?? ''}"/>`,
      ...dots,
    ],
  })
}

type ChartOf = { years: readonly number[]; series: readonly ChartSeries[]; label: string; language: Language }

function heights(series: readonly ChartSeries[]) {
  const values = series.flatMap((each) => each.values.filter((value) => value !== null))
  return scaleLinear()
    .domain([Math.min(0, ...values), Math.max(0, ...values)])
    .nice(4)
    .range([HEIGHT - INNER.bottom, INNER.top])
}

/** Where the picture begins: the numbers of the axis stand before it. */
function leftOf(y: ReturnType<typeof heights>, language: Language): number {
  const longest = Math.max(...tickTexts(y, language).map(({ text }) => text.length))
  return Math.max(INNER.left, round(longest * DIGIT_WIDTH + AXIS_GAP))
}

function tickTexts(y: ReturnType<typeof heights>, language: Language): { tick: number; text: string }[] {
  const ticks = y.ticks(4)
  const decimals = ticks.every(Number.isInteger) ? 0 : 1
  return ticks.map((tick) => ({ tick, text: numberText(tick, language, decimals) }))
}

function chart({
  label,
  years,
  language,
  left,
  x,
  y,
  marks,
}: {
  label: string
  years: readonly number[]
  language: Language
  left: number
  x: (year: number) => number
  y: ReturnType<typeof heights>
  marks: readonly string[]
}): string {
  const ticks = tickTexts(y, language).map(({ tick, text }) => {
    const at = round(y(tick))
    return html`<line class="figur__rute!${tick === 0 ? ' figur__rute--null' : ''}" x1="${left}" x2="${WIDTH - INNER.right}" y1="${at}" y2="${at}"/>
<text class="figur__tall figur__tall--y" x="${left - 6}" y="${round(at + 4)}">${text}</text>`
  })
  const labels = years.map(
    (year) =>
      html`<text class="figur__tall figur__tall--x" x="${round(x(year))}" y="${HEIGHT - 6}">${year}</text>`,
  )
  return html`<svg class="figur" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">!${ticks}!${marks}!${labels}</svg>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
