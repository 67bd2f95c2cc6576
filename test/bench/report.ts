import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { machineFacts } from './process/machine.ts'
import { type Aim, isReached, type Results, type ServerRow } from './row.ts'

/** Above it something else is at work, and what is found says more of that. */
const LOAD_MAX = 0.5

type Facts = ReturnType<typeof machineFacts>

const RESULTS = fileURLToPath(new URL('results/', import.meta.url))
const PAGE = fileURLToPath(new URL('README.md', import.meta.url))

/** As text for people: the table of servers, the table of the rest, and how it was measured. */
export function tableOf(facts: Facts, { servers, rest, notes }: Results): string {
  const parts = [
    ...(facts.loadBefore > LOAD_MAX
      ? [
          `**This machine was not quiet (load average before: ${facts.loadBefore.toFixed(1)}, at most ${LOAD_MAX}).**`,
        ]
      : []),
    `Measured ${facts.at.slice(0, 10)} on ${facts.cores} cores (${facts.cpu}), Node ${facts.node}: one core for the server` +
      `${facts.isPinned ? '' : ' (not pinned)'}, the other for everything else. ` +
      `Load average before: ${facts.loadBefore.toFixed(1)}.`,
  ]
  if (servers.length > 0)
    parts.push(
      table(
        ['', 'CPU µs per request', '× bare', 'requests per second', 'p99 ms', 'aim', ''],
        servers.map(serverCells),
      ),
    )
  if (rest.length > 0) parts.push(table(['', 'found', 'aim', ''], rest.map(restCells)))
  parts.push(...notes)
  return parts.join('\n\n')
}

/** For programs into `results/`, for people into the page of measurements between the bench's two marks. */
export async function keep(
  facts: Facts,
  results: Results,
  bench: 'bench' | 'archive' | 'search' | 'changes' | `curves-${'redis' | 'processes' | 'held'}` = 'bench',
): Promise<void> {
  const text = tableOf(facts, results)
  const BEGIN = `<!-- ${bench} -->`
  const END = `<!-- /${bench} -->`
  await mkdir(RESULTS, { recursive: true })
  await writeFile(`${RESULTS}${bench}.json`, `${JSON.stringify({ ...facts, ...results }, null, 2)}\n`)
  const page = await readFile(PAGE, 'utf8')
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (before < 0 || after < before) throw new Error(`${PAGE} has no place for the table: ${BEGIN} … ${END}`)
  await writeFile(PAGE, `${page.slice(0, before + BEGIN.length)}\n${text}\n${page.slice(after)}`)
}

function serverCells({ name, cpuMicroseconds, timesBare, perSecond, p99Ms, aims }: ServerRow): string[] {
  return [
    name,
    rounded(cpuMicroseconds),
    timesBare.toFixed(2),
    Math.round(perSecond).toLocaleString('en'),
    p99Ms.toFixed(1),
    aims.map(({ what, found, limit, unit }) => `${found.toFixed(2)} ${unit} ${what} (≤ ${limit})`).join(', '),
    aims.length === 0 ? '' : verdict(aims),
  ]
}

function restCells(aim: Aim): string[] {
  const { what, found, limit, unit } = aim
  return [
    what,
    `${rounded(found)} ${unit}`.trim(),
    ...(limit === Number.POSITIVE_INFINITY
      ? ['', '']
      : [`≤ ${limit.toLocaleString('en')} ${unit}`.trim(), verdict([aim])]),
  ]
}

function verdict(aims: readonly Aim[]): string {
  return aims.every(isReached) ? 'reached' : '**not reached**'
}

function rounded(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}
