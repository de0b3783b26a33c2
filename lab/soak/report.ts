import type { Sample } from './sample.ts'
import type { Trend } from './trend.ts'
import { isGrowing, percentile, percentileInterval, trendOf } from './trend.ts'

/** The time from the beginning until a job was accepted, the duration of the job, and whether its outcome was as expected. */
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

/** Growth per hour, as a share of the mean, that counts as a leak. */
const GROWTH = 0.05
/** Allowed difference between the last minutes and the first, as a share. */
const DRIFT = 0.1
/** The share of the test at its beginning that trends ignore, because caches fill and code is compiled. */
const WARMING = 0.15

/** Returns a report in Markdown, and the failed checks. */
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
  // Check the trend of the last half too: a leak continues, but free space in tables fills up to a level.
  const growing = trends
    .filter(([, whole, late]) => isGrowing(whole, GROWTH) && isGrowing(late, GROWTH))
    .map(([name]) => name)
  // The first and last ten minutes, or thirds of a shorter test.
  const windowMs = Math.min(600_000, lengthMs / 3)
  const first = run.ended.filter(({ atMs }) => atMs < windowMs).map(({ tookMs }) => tookMs)
  const last = run.ended.filter(({ atMs }) => atMs >= lengthMs - windowMs).map(({ tookMs }) => tookMs)
  const times = ([0.5, 0.99] as const).map((share) => {
    const [before, after] = [percentile(first, share), percentile(last, share)]
    const within = [percentileInterval(first, share), percentileInterval(last, share)] as const
    // With few jobs, one or two jobs determine the p99, so only a significant difference counts.
    const isSlower = within[1][0] > within[0][1] * (1 + DRIFT)
    return { share, before, after, within, drift: after / before - 1, isSlower }
  })
  const drifted = times.filter(({ isSlower }) => isSlower).map(({ share }) => `p${share * 100}`)
  const wrong = run.ended.filter(({ isRight }) => !isRight).length
  const faults = [
    ...growing.map((name) => `grows: ${name}`),
    ...drifted.map((name) => `${name} of the last minutes is more than ${DRIFT * 100} % above that of the first`),
    ...(wrong > 0 ? [`${wrong} jobs ended otherwise than they had to`] : []),
    ...run.broken,
  ]
  const text = [
    '# A soak',
    `\`npm run soak -- --minutes ${run.minutes}\`, on ${run.machine}. One api and one worker process, PostgreSQL beside them, jobs of`,
    `all eight endpoints with events, uploads, held calls and lists. The capacity was measured first: ${run.capacity.toFixed(1)} jobs a second;`,
    `the soak ran at ${run.rate.toFixed(1)} a second, ${run.ended.length} jobs in all.`,
    '',
    `**${faults.length === 0 ? 'Everything held.' : `Not held: ${faults.join('; ')}.`}**`,
    '',
    '## From acceptance to end',
    'In brackets between what the figure lies with 95 % confidence. Slower is what is surely more than',
    `${DRIFT * 100} % above.`,
    '',
    `| | First ${minutesOf(windowMs)} | Last ${minutesOf(windowMs)} | Change | |`,
    '| --- | --- | --- | --- | --- |',
    ...times.map(
      ({ share, before, after, within, drift, isSlower }) =>
        `| p${share * 100} | ${ms(before, within[0])} | ${ms(after, within[1])} | ${percent(drift)} | ${isSlower ? '**slower**' : 'as before'} |`,
    ),
    '',
    '## What could leak',
    `A line through the samples, without the first ${WARMING * 100} % of the time; the slope by the hour with its 95 % confidence. A`,
    `leak is a slope that is surely above ${GROWTH * 100} % of the mean, in the second half of the time too: what fills up to a level`,
    'is none. Records are kept for ever, so that of their tables it is what one row takes; uploads are kept for a day, and are not',
    'among the results.',
    '',
    '| | Mean | Slope by the hour | In the second half | |',
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
