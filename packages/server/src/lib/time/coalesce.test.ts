import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { coalesce } from './coalesce.ts'

test('if a batch of coalesce() ends before the maximum wait, coalesce() leaves no timer', async () => {
  const ask = coalesce(async (items: readonly number[]) => items, { longestWaitMs: 60_000 })
  assert.equal(await ask(1), 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(!process.getActiveResourcesInfo().includes('Timeout'))
})

test('coalesce() puts items that arrive during a batch into the next batch, and returns to each item its own result', async () => {
  const runs: (readonly number[])[] = []
  const ask = coalesce(async (items: readonly number[]) => {
    runs.push(items)
    await Promise.resolve()
    return items.map((item) => item * 2)
  })
  assert.deepEqual(await Promise.all([1, 2, 3].map(ask)), [2, 4, 6])
  assert.deepEqual(runs, [[1], [2, 3]])
})

test('without a maximum wait, coalesce() starts the next batch when the current batch ends', async () => {
  const first = Promise.withResolvers<readonly string[]>()
  let runs = 0
  const ask = coalesce(async (items: readonly string[]) => {
    runs += 1
    return runs === 1 ? await first.promise : items
  })
  const responses = [ask('a'), ask('b')]
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(runs, 1)
  first.resolve(['a'])
  assert.deepEqual(await Promise.all(responses), ['a', 'b'])
})

test('coalesce() can pause before the next batch, and an error in a batch affects only the items of that batch', async () => {
  const runs: (readonly number[])[] = []
  const ask = coalesce(
    async (items: readonly number[]) => {
      runs.push(items)
      if (items.includes(1)) throw new Error('broken')
      return items
    },
    { pauseMs: 1 },
  )
  const first = ask(1)
  await assert.rejects(first, /broken/)
  // The first run has ended, but not its pause, so these two items wait for the same run.
  assert.deepEqual(await Promise.all([ask(2), ask(3)]), [2, 3])
  assert.deepEqual(runs, [[1], [2, 3]])
})

test('if a batch exceeds the maximum wait, coalesce() starts exactly one more batch before the first batch ends', async () => {
  const ends = [1, 2, 3].map(() => Promise.withResolvers<readonly number[]>())
  const started: number[] = []
  const ask = coalesce(
    async ([item = 0]: readonly number[]) => {
      started.push(item)
      return await (ends[item - 1]?.promise ?? [])
    },
    { maxItems: 1, longestWaitMs: 1 },
  )
  mock.timers.enable({ apis: ['setTimeout'] })
  const responses = [1, 2, 3].map(ask)
  mock.timers.tick(1)
  mock.timers.reset()
  ends[0]?.resolve([1])
  assert.equal(await responses[0], 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(started, [1, 2])
  ends[1]?.resolve([2])
  ends[2]?.resolve([3])
  assert.deepEqual(await Promise.all(responses), [1, 2, 3])
})
