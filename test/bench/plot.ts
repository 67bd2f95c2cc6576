import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { scaleLinear, scaleLog } from 'd3-scale'
import { line } from 'd3-shape'

type Series = { name: string; points: readonly (readonly [number, number])[] }

/** One measured curve, or a few in one frame. `x` is drawn by its logarithm: what grows is told in tens. */
export type Plot = { title: string; x: string; y: string; series: readonly Series[] }

const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

/** Beside the other results. @param name of the file, without its ending @returns how the page beside the results shows it */
export async function keepPlot(name: string, plot: Plot): Promise<string> {
  await mkdir(RESULTS, { recursive: true })
  await writeFile(`${RESULTS}${name}.svg`, `${svgOf(plot)}\n`)
  return `![${plot.title}](results/${name}.svg)`
}

/** A picture that can be read without colours: each curve has its name at its end, and each point its value as a title. */
function svgOf({ title, x, y, series }: Plot): string {
  const points = series.flatMap((each) => each.points)
  const xs = points.map(([at]) => at)
  const across = scaleLog([Math.min(...xs), Math.max(...xs)], [LEFT, WIDTH - RIGHT])
  const up = scaleLinear([0, Math.max(...points.map(([, value]) => value))], [HEIGHT - BOTTOM, TOP]).nice()
  const path = line<readonly [number, number]>(
    ([at]) => across(at),
    ([, value]) => up(value),
  )
  const labelsAt = apart(series.map(({ points: own }) => up(own.at(-1)?.[1] ?? 0)))
  const places = [...new Set(xs)].sort((one, other) => one - other)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(LEFT, 20, title, 'font-size="14" font-weight="bold"'),
    ...up.ticks(5).map((value) => {
      const at = up(value)
      return `<path d="M${LEFT},${at}H${WIDTH - RIGHT}" stroke="#ddd"/>${text(LEFT - 6, at + 4, short(value), 'text-anchor="end"')}`
    }),
    ...places.map((at) => text(across(at), HEIGHT - BOTTOM + 18, short(at), 'text-anchor="middle"')),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x, 'text-anchor="middle"'),
    text(LEFT, 38, y, 'fill="#555"'),
    ...series.map((each, index) =>
      curve(each, labelsAt[index] ?? TOP, COLOURS[index % COLOURS.length] ?? ''),
    ),
    '</svg>',
  ].join('\n')

  function curve({ name, points: own }: Series, labelAt: number, colour: string): string {
    const dots = own.map(
      ([at, value]) =>
        `<circle cx="${across(at)}" cy="${up(value)}" r="3" fill="${colour}"><title>${short(at)}: ${short(value)}</title></circle>`,
    )
    const [lastAt = 1] = own.at(-1) ?? []
    const label = text(across(lastAt) + 8, labelAt + 4, name, `fill="${colour}"`)
    return `<path d="${path([...own]) ?? ''}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}${label}`
  }
}

/** Curves that end beside each other have their names below each other, the lowest where it ends. */
function apart(ends: readonly number[]): number[] {
  const at = [...ends]
  const lowestFirst = ends
    .map((_, index) => index)
    .sort((one, other) => (ends[other] ?? 0) - (ends[one] ?? 0))
  let free = HEIGHT
  for (const index of lowestFirst) {
    at[index] = Math.min(ends[index] ?? 0, free)
    free = (at[index] ?? 0) - LINE
  }
  return at
}

/** Of text this size. */
const LINE = 15
const WIDTH = 760
const HEIGHT = 360
const LEFT = 70
const RIGHT = 190
const TOP = 54
const BOTTOM = 50
/** Dark enough on white, and apart also to those who do not tell red from green. */
const COLOURS = ['#0062ba', '#b14a00', '#5b3a8c', '#00695c']

function text(x: number, y: number, content: string, more: string): string {
  return `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`
}

function short(value: number): string {
  if (value >= 1e6) return `${trimmed(value / 1e6)} M`
  return value >= 10_000 ? `${trimmed(value / 1000)} k` : trimmed(value)
}

function trimmed(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
