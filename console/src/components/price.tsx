import type { Money } from '../api/objects.ts'
import { formatMoney } from './format.ts'

/** Each price has space for this number of decimals, so that the points of a column align. Few have more decimals. */
const DECIMALS = 4

export function Price({ money }: { money: Pick<Money, 'micro_usd'> }) {
  const text = formatMoney(money)
  const missing = Math.max(0, DECIMALS - (text.split('.')[1] ?? '').length)
  return <span style={{ whiteSpace: 'nowrap', paddingRight: `${String(missing)}ch` }}>{text}</span>
}
