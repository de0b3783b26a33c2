import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitSecondsOf } from './prefer.ts'

const read = (prefer?: string) => waitSecondsOf({ headers: prefer === undefined ? {} : { prefer } })

test('Prefer wait is 1 to 55 s: more counts as 55, an invalid number as 20, and 0 as no wait [waiting.prefer.2]', () => {
  for (const [prefer, seconds] of [
    ['wait=1', 1],
    ['wait=54', 54],
    ['wait=55', 55],
    ['wait=56', 55],
    [`wait=${'9'.repeat(400)}`, 55],
    ['wait', 20],
    ['wait=', 20],
    ['wait=""', 20],
    ['wait=0', undefined],
    ['wait=000', undefined],
    [undefined, undefined],
    ['', undefined],
  ] as const) {
    assert.equal(read(prefer), seconds, prefer)
  }
})

test('the Prefer header is parsed as in RFC 7240, and malformed or unknown preferences are ignored [waiting.prefer.2]', () => {
  for (const [prefer, seconds] of [
    ['Wait=7', 7],
    ['respond-async, wait=10', 10],
    ['respond-async,wait = 10 ; foo="a, b"', 10],
    ['foo="wait=3, \\"", wait="12"', 12],
    ['wait=5, wait=50', 5],
    ['wait=x, wait=50', undefined],
    ['wait=-1', undefined],
    ['wait=1.5', undefined],
    ['wait=1e1', undefined],
    ['wait=0x10', undefined],
    ['wait 10', undefined],
    ['waits=10', undefined],
    ['foo="wait=3', undefined],
    [';;,,="', undefined],
  ] as const) {
    assert.equal(read(prefer), seconds, prefer)
  }
})
