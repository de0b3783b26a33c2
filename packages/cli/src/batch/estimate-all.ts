import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import type { Estimate } from '@mediamill/sdk/src/api-types'
import { openRemoteRunner } from '../remote/runner.ts'
import { describeTable, writeOut } from '../terminal/output.ts'
import type { Planned } from './plan-jobs.ts'
import type { ProcessingOptions } from './processing-options.ts'
import { presentError, reasonOf } from './reason.ts'

/** The estimate of an input. `like` names an earlier input with the same content: both share one request and price. */
type Estimated = { label: string; like?: string | undefined } & ({ estimate: Estimate } | { error: unknown })

/** Prints the price of every input. Starts no request. Throws if an input would be rejected. */
export async function estimateAll(
  planned: readonly Planned[],
  options: ProcessingOptions,
  signal: AbortSignal,
): Promise<void> {
  const { estimate, keyOf } = await openRemoteRunner(options, signal)
  const estimated: Estimated[] = []
  const labels = new Map<string, string>()
  for (const one of planned) {
    const { label } = one.input
    try {
      if ('rejection' in one) throw one.rejection
      const key = await keyOf(one.job)
      estimated.push({ label, like: labels.get(key), estimate: await estimate(one.job) })
      if (!labels.has(key)) labels.set(key, label)
    } catch (error) {
      if (signal.aborted) throw error
      estimated.push({ label, error })
    }
  }
  const isJson = options.json === true
  writeOut(`${isJson ? estimated.map(lineOf).join('\n') : describe(estimated)}\n`)
  const rejected = estimated.filter((one) => 'error' in one).length
  if (rejected > 0) throw new OperatorError(`${rejected} of ${estimated.length} inputs would be rejected.`)
}

const lineOf = (one: Estimated): string =>
  JSON.stringify(
    'estimate' in one
      ? { input: one.label, ok: true, estimate: one.estimate }
      : { input: one.label, ok: false, error: presentError(one.error) },
  )

function describe(estimated: readonly Estimated[]): string {
  const known = estimated.flatMap((one) => ('estimate' in one && one.like === undefined ? [one.estimate] : []))
  const minimum = known.reduce((sum, { price }) => sum + price.minimum.micro_usd, 0)
  const maximum = known.reduce((sum, { price }) => sum + (price.maximum?.micro_usd ?? Number.NaN), 0)
  const rows = estimated.map((one) => [
    one.label,
    'estimate' in one ? priceOf(one.estimate, one.like) : reasonOf(one.error),
  ])
  if (estimated.length > 1) rows.push(['together', rangeOf(minimum, Number.isNaN(maximum) ? undefined : maximum)])
  const table = describeTable(['INPUT', 'PRICE'], rows)
  return known.every(({ affordable }) => affordable) ? table : `${table}\nYour credit is not enough for all inputs.`
}

const priceOf = ({ price }: Estimate, like: string | undefined): string =>
  like === undefined
    ? rangeOf(price.minimum.micro_usd, price.maximum?.micro_usd)
    : `same content as ${like}, charged once`

function rangeOf(minimum: number, maximum: number | undefined): string {
  const from = formatDollars(microUsd(minimum))
  if (maximum === undefined) return `${from} or more, depending on the file`
  return maximum === minimum ? from : `${from} to ${formatDollars(microUsd(maximum))}`
}
