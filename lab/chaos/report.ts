import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Outcome } from './trial.ts'
import { describeSegments } from './watch-segments.ts'

const MAX_SHOWN = 8

export function describeTimes(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => `${(sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0)} ms`
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}`
}

export function describeOutcome(outcome: Outcome): string {
  const { records, observations, tally, disruptions, verdicts } = outcome
  const by = <Item>(items: readonly Item[], name: (item: Item) => string) =>
    [...Map.groupBy(items, name)]
      .map(([key, group]) => `${key} ${group.length}`)
      .sort()
      .join(', ')
  const responses = [...tally.responses].map(([what, count]) => `${what} ${count}`).sort()
  const rows: [string, string][] = [
    ['requests', by(records, ({ status }) => status)],
    ['attempts', by(records, ({ attempt }) => String(attempt))],
    [
      'failures',
      by(
        records.filter(({ status }) => status === 'failed'),
        ({ error }) => error?.code ?? 'none',
      ),
    ],
    ['lost attempts', String(records.filter(({ error }) => /stopped unexpectedly/.test(error?.message ?? '')).length)],
    ['time from call to final state', describeTimes(records.map(({ waitedMs }) => waitedMs))],
    ['responses', responses.join(', ')],
    ['call duration', describeTimes(tally.tookMs)],
    ['disruptions', by(disruptions, ({ what }) => what)],
    ['webhook posts', String(outcome.posts)],
    ['sources', by(observations, ({ plan }) => plan.arrival)],
    [
      'long polls',
      by(
        observations.flatMap(({ waits }) => waits),
        (wait) => wait,
      ),
    ],
    [
      'destinations',
      by(
        observations.flatMap(({ plan }) => plan.destination ?? []),
        (kind) => kind,
      ),
    ],
    ['split videos', describeSegments(outcome.parts)],
    ['uploads swept', String(outcome.sweptUploads)],
    ['files swept', `${outcome.swept} orphans of crashes`],
    ['drain time', `${outcome.drainSeconds.toFixed(1)} s`],
  ]
  const width = Math.max(...rows.map(([name]) => name.length)) + 2
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}${value}`)
  const kept = verdicts.flatMap(({ guarantee, violations }) => [
    `  ${violations.length === 0 ? 'ok    ' : 'FAILED'}  ${guarantee}`,
    ...violations.slice(0, MAX_SHOWN).map((one) => `            ${one}`),
    ...(violations.length > MAX_SHOWN ? [`            and ${violations.length - MAX_SHOWN} more`] : []),
  ])
  return [...lines, '', ...kept].join('\n')
}

export async function describeLogs(folder: string): Promise<string> {
  const counts = new Map<string, number>()
  for (const name of await readdir(folder)) {
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      const output = complaintOf(line)
      if (output !== undefined) counts.set(output, (counts.get(output) ?? 0) + 1)
    }
  }
  const lines = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([output, count]) => `  ${String(count).padStart(5)}  ${output}`)
  return ['Errors and invalid lines in the logs:', ...lines].join('\n')
}

const WARN = 40

function complaintOf(line: string): string | undefined {
  if (line.trim() === '') return undefined
  try {
    const { level, msg, role, err } = JSON.parse(line) as {
      level: number
      msg: string
      role: string
      err?: { code?: string; message?: string }
    }
    if (level < WARN) return undefined
    return `${role}: ${msg}${err === undefined ? '' : ` (${err.code ?? err.message})`}`
  } catch {
    return line
  }
}
