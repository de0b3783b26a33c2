import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microUsd, parseDollars, times, toMoney } from './money.ts'

test('the API shows money as dollars with six decimals, its currency, and integer micro-dollars [billing.money.1]', () => {
  const amounts: [number, string][] = [
    [0, '0.000000'],
    [1, '0.000001'],
    [500, '0.000500'],
    [999_999, '0.999999'],
    [1_000_000, '1.000000'],
    [25_000_001, '25.000001'],
    [Number.MAX_SAFE_INTEGER, '9007199254.740991'],
    [-1, '-0.000001'],
    [-2_000_000, '-2.000000'],
  ]
  for (const [micro, amount] of amounts) {
    assert.deepEqual(toMoney(microUsd(micro)), { amount, currency: 'usd', micro_usd: micro })
  }
})

test('an amount with a fraction of a micro-dollar, or above the largest safe integer, is rejected [billing.ledger.1]', () => {
  for (const amount of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) assert.throws(() => microUsd(amount))
  assert.equal(times(microUsd(4_000), 2_000), 8_000_000)
  assert.throws(() => times(microUsd(20_000), 2 ** 50))
})

test('dollars are parsed exactly to six decimals, and other text is rejected', () => {
  const read: [string, number][] = [
    ['25', 25_000_000],
    ['25.00', 25_000_000],
    ['0.000001', 1],
    ['0.1', 100_000],
    ['1.1', 1_100_000],
    ['999999999.999999', 999_999_999_999_999],
  ]
  for (const [text, micro] of read) assert.equal(parseDollars(text), micro, text)
  for (const text of ['', '-1', '+1', '1e3', '.5', '1.', '1,00', '0.0000001', '1000000000', ' 1', '1 ', '0x1', '١']) {
    assert.equal(parseDollars(text), undefined, text)
  }
})
