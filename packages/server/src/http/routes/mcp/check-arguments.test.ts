import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentFaults } from './check-arguments.ts'

test('the error for thousands of unknown arguments lists only ten of them', () => {
  let listed = 0
  const properties = new Proxy(
    { source: { type: 'string' } },
    {
      ownKeys: (target) => {
        listed += 1
        return Reflect.ownKeys(target)
      },
    },
  )
  const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 1]))
  assert.equal(argumentFaults({ type: 'object', properties }, input).length, 10)
  assert.ok(listed <= 12, `the fields were listed ${listed} times`)
})
