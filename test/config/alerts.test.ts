import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { PROMTOOL_COMMAND, promtool } from '../support/promtool.ts'

type Check = { alertname: string; exp_alerts: unknown[] }
type Case = { name: string; alert_rule_test: Check[] }
type Tests = { group_eval_order: string[]; tests: Case[] }
type Rule = { alert?: string; record?: string; expr: string }
type Group = { name: string; rules: Rule[] }

const config = fileURLToPath(new URL('../../config/', import.meta.url))
const FILES = ['alerts.test.yaml', 'alerts.days.test.yaml']
const { groups }: { groups: Group[] } = parse(read('alerts.yaml'))
const alerts = groups.flatMap(({ rules }) => rules.flatMap(({ alert = [] }) => alert))
const cases: Case[] = FILES.flatMap((file) => parse(read(file)).tests)
const program = promtool()

describe('the alerts, over invented series', () => {
  it.each(alerts)('%s comes once in its fault, and not before it', (alert) => {
    const own = cases.filter(({ name }) => name === alert).flatMap((each) => each.alert_rule_test)
    for (const { alertname } of own) expect(alertname).toBe(alert)
    expect(own.some(({ exp_alerts }) => exp_alerts.length === 1)).toBe(true)
    expect(own.every(({ exp_alerts }) => exp_alerts.length <= 1)).toBe(true)
    expect(own.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true)
  })

  it('in quiet none of them comes', () => {
    for (const { alert_rule_test } of cases.filter(({ name }) => name === 'quiet')) {
      expect(alert_rule_test.map(({ alertname }) => alertname).sort()).toEqual([...alerts].sort())
      for (const { exp_alerts } of alert_rule_test) expect(exp_alerts).toEqual([])
    }
  })

  it.skipIf(program === null)(`and so says Prometheus (needs promtool: ${PROMTOOL_COMMAND})`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'oppslag-varsler-'))
    try {
      const files = FILES.flatMap(eachWithItsRules)
      for (const { name, content } of files) await writeFile(join(folder, name), stringify(content))
      const asked = files.flatMap(({ name, content }) => ('tests' in content ? name : []))
      expect(asked.length).toBeGreaterThanOrEqual(alerts.length)
      const run = promisify(execFile)
      const told = await run(program ?? '', ['test', 'rules', ...asked], { cwd: folder }).catch(
        (error) => error,
      )
      expect(`${told.stdout}${told.stderr}`).toMatch(/^(?!.*FAILED)[\s\S]*SUCCESS/)
      expect(told.code).toBeUndefined()
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/**
 * The cases of a file by what they are about, each beside its alert alone and what that reads: Prometheus works out every rule it is
 * given for each minute of a case. By hand all are worked out in each, with the same outcome.
 */
function eachWithItsRules(file: string) {
  const { tests, ...frame }: Tests = parse(read(file))
  return [...new Set(tests.map(({ name }) => name))].flatMap((about) => {
    const own = groups.map(({ rules, ...group }) => ({
      ...group,
      rules: rules.filter((rule) => about === 'quiet' || rule.alert === about || isReadBy(about, rule)),
    }))
    const kept = own.filter(({ rules }) => rules.length > 0)
    const order = frame.group_eval_order.filter((each) => kept.some(({ name }) => name === each))
    const cases = tests.filter(({ name }) => name === about)
    const rulesFile = `regler-${about}-${file}`
    return [
      { name: rulesFile, content: { groups: kept } },
      {
        name: `${about}-${file}`,
        content: { ...frame, rule_files: [rulesFile], group_eval_order: order, tests: cases },
      },
    ]
  })
}

/** What is recorded may be made of what else is recorded. */
function isReadBy(alert: string, { record }: Rule): boolean {
  if (record === undefined) return false
  return groups
    .flatMap(({ rules }) => rules)
    .some(
      (reader) =>
        reader.expr.includes(record) &&
        (reader.alert === alert || (reader.record !== record && isReadBy(alert, reader))),
    )
}

function read(file: string): string {
  return readFileSync(`${config}${file}`, 'utf8')
}
