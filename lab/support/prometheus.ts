import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { freePort, listens, until } from './process.ts'

const SHIPPED = join(import.meta.dirname, '../../deploy/prometheus')

const Rules = z.object({
  groups: z.array(
    z.looseObject({
      interval: z.string().optional(),
      rules: z.array(z.looseObject({ alert: z.string().optional(), expr: z.string(), for: z.string().optional() })),
    }),
  ),
})

type AlertState = { name: string; state: 'pending' | 'firing'; since: Date }

export type Prometheus = AsyncDisposable & {
  alerts: () => Promise<AlertState[]>
  query: (expression: string) => Promise<{ labels: Record<string, string>; value: number }[]>
}

/**
 * Starts a Prometheus with the shipped rules. Divides every `for`, range, and interval by `factor`, but keeps all
 * thresholds. A `for` stays at least 10 s, so that a short stall of a busy machine fires no alert.
 */
export async function startPrometheus(ports: readonly number[], factor: number): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-prometheus-'))
  const port = await freePort()
  const files = ['recording-rules.yaml', 'alerts.yaml']
  for (const file of files) await writeFile(join(folder, file), stringify(shortened(await shippedRules(file), factor)))
  const interval = shorten('60s', factor)
  await writeFile(
    join(folder, 'prometheus.yml'),
    stringify({
      global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
      rule_files: files,
      scrape_configs: [
        { job_name: 'mediamill', static_configs: [{ targets: ports.map((each) => `127.0.0.1:${each}`) }] },
      ],
    }),
  )
  const data = join(folder, 'data')
  await mkdir(data)
  const options = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ]
  const child = spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const ended = once(child, 'exit')
  await until(async () => child.exitCode !== null || (await listens(port)))
  if (child.exitCode !== null) throw new Error(`Prometheus ended at its start: ${log}`)
  const get = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json()
  return {
    async alerts() {
      const { data: found } = Alerts.parse(await get('alerts'))
      return found.alerts.map(({ labels, state, activeAt }) => ({
        name: labels['alertname'] ?? '',
        state,
        since: new Date(activeAt),
      }))
    },
    async query(expression) {
      const { data: found } = Vector.parse(await get(`query?query=${encodeURIComponent(expression)}`))
      return found.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const Labels = z.record(z.string(), z.string())
const Alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ labels: Labels, state: z.enum(['pending', 'firing']), activeAt: z.string() })),
  }),
})
const Vector = z.object({
  data: z.object({ result: z.array(z.object({ metric: Labels, value: z.tuple([z.number(), z.string()]) })) }),
})

async function shippedRules(file: string): Promise<z.infer<typeof Rules>> {
  return Rules.parse(parse(await readFile(join(SHIPPED, file), 'utf8')))
}

function shortened({ groups }: z.infer<typeof Rules>, factor: number): z.infer<typeof Rules> {
  return {
    groups: groups.map(({ interval, rules, ...group }) => ({
      ...group,
      ...(interval !== undefined && { interval: shorten(interval, factor) }),
      rules: rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replaceAll(/\[(\w+)\]/g, (_, range: string) => `[${shorten(range, factor)}]`),
        ...(rule.for !== undefined && { for: rule.for === '0m' ? rule.for : shorten(rule.for, factor, MIN_FOR_MS) }),
      })),
    })),
  }
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const MIN_FOR_MS = 10_000

function shorten(duration: string, factor: number, minMs = 0): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(duration) ?? []
  if (unit === undefined) throw new RangeError(`${duration} is not a duration`)
  return `${Math.max(minMs, Math.round((Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]) / factor))}ms`
}
