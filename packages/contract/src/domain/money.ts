import type { Branded } from './ids.ts'

export type MicroUsd = Branded<number, 'MicroUsd'>

type Money = { amount: string; currency: 'usd'; micro_usd: number }

export function microUsd(amount: number): MicroUsd {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`not a whole number of micro-dollars: ${amount}`)
  return amount as MicroUsd
}

export const NO_MONEY = microUsd(0)

export function times(price: MicroUsd, units: number): MicroUsd {
  return microUsd(price * units)
}

export function toMoney(amount: MicroUsd): Money {
  return { amount: toDollars(amount), currency: 'usd', micro_usd: amount }
}

export function toDollars(amount: MicroUsd): string {
  const digits = String(Math.abs(amount)).padStart(7, '0')
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Formats an amount for people, with at least two decimals: `$25.00`, `$0.056`, `-$0.052`. */
export function formatDollars(amount: MicroUsd): string {
  const [whole, decimals = ''] = toDollars(microUsd(Math.abs(amount))).split('.')
  return `${amount < 0 ? '-' : ''}$${whole}.${decimals.replace(/0{1,4}$/, '')}`
}

export function parseDollars(text: string): MicroUsd | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return undefined
  return microUsd(Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0')))
}
