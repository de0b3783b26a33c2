import type { Sample } from './sample.ts'
import type { Trend } from './trend.ts'
import { isGrowing, percentile, percentileInterval, trendOf } from './trend.ts'

/** A request that ended. `atMs` is the time of its acceptance, from the start of the test. */
export type Ended = { atMs: number; tookMs: number; isRight: boolean }

export type SoakRun = {
  minutes: number
  machine: string
  capacity: number
  rate: number
  samples: readonly Sample[]
  ended: readonly Ended[]
  broken: readonly string[]
}

/** A value counts as a leak if it increases per hour by more than this share of its mean. */
const GROWTH = 0.05
/** Requests in the last minutes may take longer than requests in the first minutes by at most this share. */
const DRIFT = 0.1
/** A test below this length has too few independent jobs for `DRIFT`: its confidence intervals would be too narrow. */
const DRIFT_MINUTES = 10
/** The share of the test at its start that trends ignore, because caches fill and code is compiled. */
const WARMING = 0.15

export function reportOf(run: SoakRun): { text: string; faults: string[] } {
  const lengthMs = run.minutes * 60_000
  const settled = run.samples.filter(({ atMs }) => atMs >= WARMING * lengthMs)
  const names = [...new Set(settled.flatMap(({ values }) => Object.keys(values)))].toSorted()
  const trendIn = (samples: readonly Sample[], name: string) =>
    trendOf(samples.flatMap(({ atMs, values }) => (values[name] === undefined ? [] : [{ atMs, value: values[name] }])))
  const trends = names.map((name): [name: string, whole: Trend, late: Trend] => [
    name,
    trendIn(settled, name),
    trendIn(
      settled.filter(({ atMs }) => atMs >= lengthMs / 2),
      name,
    ),
  ])
  // A value must also increase in the second half: a leak continues, but free space in tables stops growing.
  const growing = trends
    .filter(([, whole, late]) => isGrowing(whole, GROWTH) && isGrowing(late, GROWTH))
    .map(([name]) => name)
  // Compare the first and the last ten minutes, or the thirds of a shorter test.
  const windowMs = Math.min(600_000, lengthMs / 3)
  const first = run.ended.filter(({ atMs }) => atMs < windowMs).map(({ tookMs }) => tookMs)
  const last = run.ended.filter(({ atMs }) => atMs >= lengthMs - windowMs).map(({ tookMs }) => tookMs)
  const times = ([0.5, 0.99] as const).map((share) => {
    const [before, after] = [percentile(first, share), percentile(last, share)]
    const within = [percentileInterval(first, share), percentileInterval(last, share)] as const
    // With few jobs, one or two of them determine the p99, so require a significant difference.
    const isSlower = run.minutes >= DRIFT_MINUTES && within[1][0] > within[0][1] * (1 + DRIFT)
    return { share, before, after, within, drift: after / before - 1, isSlower }
  })
  const drifted = times.filter(({ isSlower }) => isSlower).map(({ share }) => `p${share * 100}`)
  const wrong = run.ended.filter(({ isRight }) => !isRight).length
  const faults = [
    ...growing.map((name) => `${name} grows`),
    ...drifted.map(
      (name) => `${name} of the last minutes is more than ${DRIFT * 100} % above ${name} of the first minutes`,
    ),
    ...(wrong > 0 ? [`${wrong} jobs did not end as expected`] : []),
    ...run.broken,
  ]
  const text = [
    '# Soak test',
    `\`npm run soak -- --minutes ${run.minutes}\`, on ${run.machine}. One API server, one worker, and PostgreSQL on the same machine. Jobs use`,
    `all eight endpoints, with events, uploads, long polls, and lists. Measured capacity: ${run.capacity.toFixed(1)} jobs per second.`,
    `Load during the test: ${run.rate.toFixed(1)} jobs per second, ${run.ended.length} jobs in total.`,
    '',
    `**${faults.length === 0 ? 'Passed.' : `Failed: ${faults.join('; ')}.`}**`,
    '',
    '## Time from acceptance to final state',
    'Parentheses show the 95 % confidence interval. "Slower" means that the lower bound of the last interval is more than',
    `${DRIFT * 100} % above the upper bound of the first interval.`,
    '',
    `| | First ${minutesOf(windowMs)} | Last ${minutesOf(windowMs)} | Change | |`,
    '| --- | --- | --- | --- | --- |',
    ...times.map(
      ({ share, before, after, within, drift, isSlower }) =>
        `| p${share * 100} | ${ms(before, within[0])} | ${ms(after, within[1])} | ${percent(drift)} | ${isSlower ? '**slower**' : 'unchanged'} |`,
    ),
    '',
    '## Leaks',
    `Linear fit of the samples after the first ${WARMING * 100} % of the test: slope per hour with its 95 % confidence interval. A`,
    `value leaks if its slope is significantly above ${GROWTH * 100} % of the mean, in the second half of the test too. A value that levels`,
    'off does not leak. Records are kept forever, so their tables are measured in bytes per row. Uploads are kept for a day, and do',
    'not count as results.',
    '',
    '| | Mean | Slope per hour | Slope in the second half | |',
    '| --- | --- | --- | --- | --- |',
    ...trends.map(
      ([name, whole, late]) =>
        `| ${name} | ${figure(whole.mean)} | ${slope(whole)} | ${slope(late)} | ${growing.includes(name) ? '**grows**' : 'flat'} |`,
    ),
    '',
  ].join('\n')
  return { text, faults }
}

const minutesOf = (ms: number) => `${Number((ms / 60_000).toFixed(1))} min`
const ms = (value: number, [low, high]: readonly [number, number]) =>
  `${Math.round(value)} ms (${[low, high].map((one) => (Number.isFinite(one) ? Math.round(one) : '?')).join(' to ')})`
const percent = (share: number) => `${share >= 0 ? '+' : ''}${(share * 100).toFixed(1)} %`

const slope = ({ slope, confidence }: Trend) => `${figure(slope)} ± ${figure(confidence)}`

function figure(value: number): string {
  if (!Number.isFinite(value)) return 'unknown'
  return Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString()
}
