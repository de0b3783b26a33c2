import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ALERT_FAULTS } from '@mediamill/lab/faults/alert-faults'
import { freePort } from '@mediamill/lab/support/process'
import { sharedService } from '@mediamill/lab/support/service'
import { skipReason } from '@mediamill/lab/support/skip-reason'
import { parse } from 'yaml'
import { z } from 'zod'

const root = join(import.meta.dirname, '../../../..')
const folder = join(root, 'deploy/prometheus')

const Rule = z.object({ expr: z.string() })
const RecordingRule = Rule.extend({ record: z.string() })
const AlertRule = Rule.extend({
  alert: z.string().regex(/^Mediamill[A-Z]/),
  for: z.string(),
  labels: z.object({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.object({ summary: z.string(), runbook: z.string() }),
})
const fileOf = <Item extends z.ZodType>(rule: Item) => z.object({ groups: z.array(z.object({ rules: z.array(rule) })) })

function rulesOf<Item extends z.ZodType>(name: string, rule: Item) {
  return fileOf(rule)
    .parse(parse(readFileSync(join(folder, name), 'utf8')))
    .groups.flatMap(({ rules }) => rules)
}

const recording = rulesOf('recording-rules.yaml', RecordingRule)
const alerts = rulesOf('alerts.yaml', AlertRule)

const port = await freePort()
const service = await sharedService({ settings: { METRICS_PORT: String(port) } })

async function metricsAt(address: string): Promise<string[]> {
  const text = await (await fetch(`${address}/metrics`)).text()
  return [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name = '']) => name)
}

test('every metric in the alert and recording rules exists', async () => {
  const shown = [...(await metricsAt(service.url)), ...(await metricsAt(`http://127.0.0.1:${port}`))]
  const known = new Set([...shown, ...recording.map(({ record }) => record)])
  assert.ok(alerts.length >= 15)
  const unknown = [...recording, ...alerts].flatMap(({ expr }) =>
    [...expr.matchAll(/\bmediamill[_:][\w:]+/g)]
      .map(([name]) => name)
      .filter((name) => !known.has(name) && !known.has(name.replace(/_bucket$/, ''))),
  )
  assert.deepEqual(unknown, [])
})

test('every alert has a runbook section with its name, and every section has an alert', () => {
  const page = readFileSync(join(root, 'docs/operate/runbooks.md'), 'utf8')
  const sections = [...page.matchAll(/^## (.+)\n`(\w+)`/gm)].map(([, title = '', alert = '']) => [
    alert,
    `docs/operate/runbooks.md#${title.toLowerCase().replaceAll(' ', '-')}`,
  ])
  assert.deepEqual(
    alerts.map(({ alert, annotations }) => [alert, annotations.runbook]),
    sections,
  )
})

test('`npm run faults` triggers every alert', () => {
  assert.deepEqual(ALERT_FAULTS.map(({ alert }) => alert).sort(), alerts.map(({ alert }) => alert).sort())
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test('the alert rules are valid, a healthy service fires no alert, and each failure fires only its own alert', {
  skip: hasPromtool ? false : skipReason('promtool is not installed: scripts/install-test-servers.sh'),
}, () => {
  for (const args of [
    ['check', 'rules', 'recording-rules.yaml', 'alerts.yaml'],
    ['test', 'rules', 'alerts.test.yaml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  }
  const tests = readFileSync(join(folder, 'alerts.test.yaml'), 'utf8')
  for (const { alert } of alerts) assert.match(tests, new RegExp(`- name: ${alert}\\n`))
})
