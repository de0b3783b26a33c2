import type { Money } from '../api/objects.ts'
import { formatMoney } from './format.ts'

/** The number of decimals in a column of prices. Few prices have more. */
const DECIMALS = 4

export function Price({ money }: { money: Money }) {
  const text = formatMoney(money)
  const missing = Math.max(0, DECIMALS - (text.split('.')[1] ?? '').length)
  return <span style={{ whiteSpace: 'nowrap', paddingRight: `${String(missing)}ch` }}>{text}</span>
}
