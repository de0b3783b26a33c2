import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MemoryGate } from './memory-gate.ts'

const never = new AbortController().signal

function enter(gate: MemoryGate, name: string, bytes: number, entered: string[], signal = never) {
  return gate.enter(bytes, signal).then((held) => {
    entered.push(name)
    return held
  })
}

const soon = { timeout: 60_000 }

test(
  'the memory gate admits jobs in order while memory is free: a small job never overtakes a large job',
  soon,
  async () => {
    const gate = new MemoryGate(100)
    const entered: string[] = []
    const first = await enter(gate, 'first', 60, entered)
    const large = enter(gate, 'large', 80, entered)
    const small = enter(gate, 'small', 10, entered)
    await nextTurn()
    assert.deepEqual(entered, ['first'])
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    await nextTurn()
    assert.deepEqual(entered, ['first', 'large', 'small'])
    const last = enter(gate, 'last', 11, entered)
    await nextTurn()
    assert.equal(entered.includes('last'), false, '80 and 10 are held, once each')
    ;(await small)[Symbol.dispose]()
    await nextTurn()
    assert.equal(entered.includes('last'), true)
    await Promise.all([large, last])
  },
)

test('a job that needs more than the whole memory budget runs alone', soon, async () => {
  const gate = new MemoryGate(100)
  const entered: string[] = []
  const huge = await enter(gate, 'huge', 1000, entered)
  const next = enter(gate, 'next', 1, entered)
  await nextTurn()
  assert.deepEqual(entered, ['huge'])
  huge[Symbol.dispose]()
  await nextTurn()
  assert.deepEqual(entered, ['huge', 'next'])
  await next
})

test('if a waiting job is aborted, the memory gate admits the next jobs', soon, async () => {
  const gate = new MemoryGate(100)
  const entered: string[] = []
  await enter(gate, 'first', 50, entered)
  const abort = new AbortController()
  const large = enter(gate, 'large', 80, entered, abort.signal)
  const small = enter(gate, 'small', 40, entered)
  abort.abort(new Error('gone'))
  await assert.rejects(large, /gone/)
  await nextTurn()
  assert.deepEqual(entered, ['first', 'small'])
  await small
})
