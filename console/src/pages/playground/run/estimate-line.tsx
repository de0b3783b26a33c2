import type { UseQueryResult } from '@tanstack/react-query'
import type { Estimate } from '../../../api/objects.ts'
import { formatCount, formatDollars, formatMoney } from '../../../components/format.ts'

/** The price of this request with a live key. */
export function EstimateLine({ estimate }: { estimate: UseQueryResult<Estimate> }) {
  if (estimate.error !== null) return <>Correct the invalid fields to see the price.</>
  if (estimate.data === undefined) return <>Estimating the price…</>
  const { unit, unit_price, units } = estimate.data
  const most = units.maximum === null ? undefined : unit_price.micro_usd * units.maximum
  const least = unit_price.micro_usd * units.minimum
  const price = `${formatMoney(unit_price)} a ${unit}`
  if (most === least && units.minimum === 1) return <>Free in test mode; {price} with a live key.</>
  return (
    <>
      Free in test mode. With a live key: {formatDollars(least)}
      {most === undefined ? ' or more' : most > least ? ` to ${formatDollars(most)}` : ''} ({formatCount(units.minimum)}
      {units.maximum === null ? '+' : units.maximum > units.minimum ? ` to ${formatCount(units.maximum)}` : ''} ×{' '}
      {price}).
    </>
  )
}
