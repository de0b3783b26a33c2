import type { UseQueryResult } from '@tanstack/react-query'
import type { Estimate } from '../../../api/objects.ts'
import { formatCount, formatDollars, formatMoney } from '../../../components/format.ts'
import { text } from '../text.ts'

/** Shows the price of a request with a live key. */
export function EstimateLine({ estimate }: { estimate: UseQueryResult<Estimate> }) {
  if (estimate.error !== null) return <>{text.correctTheInvalidFields}</>
  if (estimate.data === undefined) return <>{text.estimatingThePrice}</>
  const { unit, unit_price, units } = estimate.data
  const maximum = units.maximum === null ? undefined : unit_price.micro_usd * units.maximum
  const minimum = unit_price.micro_usd * units.minimum
  const price = text.pricePerUnit(formatMoney(unit_price), unit)
  if (maximum === minimum && units.minimum === 1) return <>{text.freeInTestMode(price)}</>
  const total =
    maximum === undefined
      ? text.orMore(formatDollars(minimum))
      : maximum > minimum
        ? text.range(formatDollars(minimum), formatDollars(maximum))
        : formatDollars(minimum)
  const count =
    units.maximum === null
      ? `${formatCount(units.minimum)}+`
      : units.maximum > units.minimum
        ? text.range(formatCount(units.minimum), formatCount(units.maximum))
        : formatCount(units.minimum)
  return <>{text.liveEstimate(total, count, price)}</>
}
