import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { PROMTOOL_COMMAND, promtool } from '../support/promtool.ts'

type Check = { alertname: string; exp_alerts: unknown[] }
type Case = { name: string; alert_rule_test: Check[] }

const config = fileURLToPath(new URL('../../config/', import.meta.url))
const FILES = ['alerts.test.yaml', 'alerts.days.test.yaml']
const rules: { alert?: string }[] = parse(read('alerts.yaml')).groups.flatMap(
  ({ rules }: { rules: object[] }) => rules,
)
const alerts = rules.flatMap(({ alert = [] }) => alert)
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
    const run = promisify(execFile)
    const told = await run(program ?? '', ['test', 'rules', ...FILES], { cwd: config }).catch(
      (error) => error,
    )
    expect(`${told.stdout}${told.stderr}`).toMatch(/^(?!.*FAILED)[\s\S]*SUCCESS/)
    expect(told.code).toBeUndefined()
  })
})

function read(file: string): string {
  return readFileSync(`${config}${file}`, 'utf8')
}
