import type { Money } from '../api/objects.ts'
import { formatMoney } from './format.ts'

/**
 * The number of decimals for which each price has space, so that the points of a column align. Few prices have more
 * decimals.
 */
const DECIMALS = 4

export function Price({ money }: { money: Money }) {
  const text = formatMoney(money)
  const missing = Math.max(0, DECIMALS - (text.split('.')[1] ?? '').length)
  return <span style={{ whiteSpace: 'nowrap', paddingRight: `${String(missing)}ch` }}>{text}</span>
}
