import { scaleLinear } from 'd3-scale'
import { area, line } from 'd3-shape'
import { html } from 'ghtml'

const WIDTH = 220
const HEIGHT = 44
const EDGE = 2

/** A picture of the last hours: what it shows, its newest value and its highest stand beside it in words. */
export function sparkline(
  name: string,
  values: readonly number[],
  say: (value: number) => string = (value) => String(Math.round(value)),
): string {
  const newest = values.at(-1)
  if (newest === undefined || values.length < 2) {
    return html`<figure class="gnist"><figcaption>${name}</figcaption><p>Ikke nok målt ennå.</p></figure>`
  }
  const highest = Math.max(...values)
  const x = scaleLinear([0, values.length - 1], [EDGE, WIDTH - EDGE])
  const y = scaleLinear([0, highest || 1], [HEIGHT - EDGE, EDGE])
  const points = values.map((value, index): [number, number] => [round(x(index)), round(y(value))])
  const fill = area<[number, number]>()
    .y0(HEIGHT - EDGE)
    .y1(([, at]) => at)(points)
  return html`<figure class="gnist"><figcaption>${name}</figcaption>
<svg viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img" aria-label="${name}: nå ${say(newest)}, høyest ${say(highest)}">
<path class="flate" d="${fill ?? ''}"/><path class="strek" d="${line()(points) ?? ''}"/>
</svg><p><strong>${say(newest)}</strong> nå, høyest ${say(highest)}</p></figure>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
