import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { feedNames } from '#src/ops/feed-report.ts'
import type { Metrics } from '#src/ops/metrics.ts'
import { allMetrics } from './all-metrics.ts'
import { type Expression, readPromql } from './promql.ts'

type Rule = {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string }
}
type Panel = { title: string; type: string; targets?: { expr: string; legendFormat: string }[] }

type Recorded = { record: string; expr: string }

const alerts: { groups: { name: string; rules: (Rule | Recorded)[] }[] } = parse(read('config/alerts.yaml'))
const everyRule = alerts.groups.flatMap((group) => group.rules)
const rules = everyRule.filter((rule) => 'alert' in rule)
/** What Prometheus works out for the alerts, and they ask for. */
const recorded = everyRule.filter((rule) => 'record' in rule)
const dashboard = JSON.parse(read('config/grafana/oppslag.json'))
const panels: Panel[] = dashboard.panels
const shown = panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

describe('what Prometheus and Grafana are told', () => {
  let metrics: Metrics
  /** Every series a process gives, with its labels. */
  let there: Map<string, Set<string>>

  beforeAll(() => {
    metrics = allMetrics()
    there = seriesOf(metrics)
    for (const { record } of recorded) there.set(record, new Set())
  })
  afterAll(() => metrics.close())

  it.each(recorded)('what is recorded as $record asks for series and labels that there are', ({ expr }) =>
    expectReal(readPromql(expr)),
  )

  describe.each(rules)('alert $alert', ({ alert, expr, labels, annotations, for: held }) => {
    it('asks for series and labels that there are', () => expectReal(readPromql(expr)))

    it('names in its summary only labels its result has', () => {
      const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map((match) => match[1] ?? '')
      expectInResult(named, readPromql(expr))
    })

    it('is a page or a ticket, and has its own page of what to do', () => {
      expect(['page', 'ticket']).toContain(labels.severity)
      expect(held ?? '0m').toMatch(/^[0-9]+[mh]$/)
      const [, page = ''] = read('config/alerts.md').split(`\n## ${alert}\n`)
      const [own = ''] = page.split('\n## ')
      expect(own).toMatch(labels.severity === 'page' ? /^\n\*Page\.\*/ : /^\n\*Ticket\.\*/)
      expect(own).toContain('- **Check**')
      expect(own).toMatch(/(- \*\*Do\*\*|and \*\*do\*\*)/)
    })
  })

  it('no page is there without its alert, and no alert twice', () => {
    const pages = [...read('config/alerts.md').matchAll(/^## (\w+)$/gm)].map((match) => match[1])
    expect(pages.sort()).toEqual(rules.map(({ alert }) => alert).sort())
    expect(new Set(pages).size).toBe(pages.length)
  })

  it.each(shown)('the picture "$title" asks for series and labels that there are: $expr', (target) => {
    const expression = readPromql(target.expr)
    expectReal(expression)
    const named = [...target.legendFormat.matchAll(/{{(\w+)}}/g)].map((match) => match[1] ?? '')
    expectInResult(named, expression)
  })

  it('every metric of ours is looked at by somebody', () => {
    const asked = [...everyRule, ...shown].flatMap(({ expr }) =>
      readPromql(expr).series.map(({ name }) => name),
    )
    const ours = metrics.registry.getMetricsAsArray().map(({ name }) => name)
    const unseen = ours
      .filter((name) => name.startsWith('bedriftsoppslag_'))
      .filter((name) => !asked.some((series) => series === name || baseOf(series) === name))
    expect(unseen).toEqual([])
  })

  it('each feed is watched for somebody who follows it', () => {
    const rule = rules.find(({ alert }) => alert === 'NobodyFollowsFeed')
    const watched = readPromql(rule?.expr ?? '').series.flatMap(({ labels }) =>
      labels.flatMap(({ values }) => values),
    )
    expect(watched.sort()).toEqual([...feedNames].sort())
  })

  it('the dashboard draws from the chosen Prometheus alone, each panel in its own place', () => {
    expect(dashboard.templating.list).toEqual([
      expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
    ])
    expect(JSON.stringify(dashboard)).not.toMatch(/"uid":"(?!\$\{datasource\}|bedriftsoppslag")/)
    const ids = dashboard.panels.map(({ id }: { id: number }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = dashboard.panels.flatMap(
      ({ gridPos: { x, y, w, h } }: { gridPos: Record<'x' | 'y' | 'w' | 'h', number> }) =>
        Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
  })

  function expectReal({ fault, series, grouping }: Expression): void {
    expect(fault).toBeNull()
    expect(series.length).toBeGreaterThan(0)
    for (const { name, labels } of series) {
      expect([...there.keys()], 'series').toContain(name)
      const known = there.get(name) ?? new Set()
      for (const label of labels) expect([...known], `labels of ${name}`).toContain(label.name)
    }
    for (const label of grouping) {
      expect(
        series.some(({ name }) => there.get(name)?.has(label)),
        `grouping by ${label}`,
      ).toBe(true)
    }
  }

  function expectInResult(named: readonly string[], { series, grouping }: Expression): void {
    for (const label of named) {
      const isGiven =
        grouping.length > 0
          ? grouping.includes(label)
          : series.some(({ name }) => there.get(name)?.has(label) === true)
      expect(isGiven, label).toBe(true)
    }
  }
})

/** What Prometheus adds to every series it reads from a process. */
const OF_THE_TARGET = ['job', 'instance']

function seriesOf({ registry }: Metrics): Map<string, Set<string>> {
  const series = new Map([['up', new Set(OF_THE_TARGET)]])
  for (const metric of registry.getMetricsAsArray()) {
    const {
      name,
      type,
      labelNames = [],
    } = metric as unknown as {
      name: string
      type: string
      labelNames?: string[]
    }
    const labels = [...labelNames, ...OF_THE_TARGET]
    if (String(type) !== 'histogram') series.set(name, new Set(labels))
    else {
      series.set(`${name}_bucket`, new Set([...labels, 'le']))
      series.set(`${name}_sum`, new Set(labels))
      series.set(`${name}_count`, new Set(labels))
    }
  }
  return series
}

function baseOf(series: string): string {
  return series.replace(/_(bucket|sum|count)$/, '')
}

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}
