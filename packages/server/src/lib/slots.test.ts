import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slots } from './slots.ts'

test('each name, such as an account, has a limited number of slots; further callers wait in order, and too many waiting callers are rejected', async () => {
  const slots = new Slots({ perName: 2, maxWaiting: 2 })
  const [first, second] = [await slots.take('a'), await slots.take('a')]
  const order: string[] = []
  const waiting = ['third', 'fourth'].map(async (name) => {
    const slot = await slots.take('a')
    order.push(name)
    return slot
  })
  assert.equal(await slots.take('a'), undefined)
  assert.ok(await slots.take('b'))
  assert.deepEqual(order, [])
  first?.[Symbol.dispose]()
  const third = await waiting[0]
  assert.deepEqual(order, ['third'])
  second?.[Symbol.dispose]()
  third?.[Symbol.dispose]()
  const fourth = await waiting[1]
  fourth?.[Symbol.dispose]()
  assert.deepEqual(order, ['third', 'fourth'])
  assert.ok(await slots.take('a'))
})
