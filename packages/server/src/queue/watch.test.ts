import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Watch } from './watch.ts'

type Row = { id: number; version: number }

const forever = new AbortController().signal

function openWatch() {
  const rows = new Map<number, Row>()
  const reads: { key: number; previous: number }[][] = []
  const errors: unknown[] = []
  let poll: (() => void) | undefined
  let gate: Promise<unknown> = Promise.resolve()
  const watch = new Watch<number, number, Row>({
    async read(asked) {
      reads.push([...asked])
      await gate
      return asked.flatMap(({ key }) => rows.get(key) ?? [])
    },
    keyOf: ({ id }) => id,
    hasChanged: ({ version }, previous) => version > previous,
    onError: (error) => errors.push(error),
    schedule(run) {
      poll = run
      return () => (poll = undefined)
    },
  })
  return {
    watch,
    rows,
    reads,
    errors,
    hold: (until: Promise<unknown>) => {
      gate = until
    },
    poll: async (): Promise<boolean> => {
      const due = poll
      poll = undefined
      due?.()
      await setImmediate()
      return due !== undefined
    },
  }
}

test('a wait for a row returns at once if the row changed before the wait', async () => {
  const { watch, rows } = openWatch()
  rows.set(1, { id: 1, version: 2 })
  assert.deepEqual(await watch.wait(1, 1, forever), { id: 1, version: 2 })
  assert.equal(watch.size, 0)
})

test('after a notification, a process reads only the changed rows that calls are waiting for', async () => {
  const { watch, rows, reads } = openWatch()
  const waits = [watch.wait(1, 0, forever), watch.wait(2, 0, forever)]
  await setImmediate()
  reads.length = 0
  rows.set(1, { id: 1, version: 1 })
  watch.notify([1, 3])
  assert.deepEqual(await waits[0], { id: 1, version: 1 })
  assert.deepEqual(reads, [[{ key: 1, previous: 0 }]])
  watch.close()
  assert.equal(await waits[1], undefined)
})

test('concurrent waits for a row share one read, and each wait ends if the version of the row differs from the version that the wait started with', async () => {
  const { watch, rows, reads, hold } = openWatch()
  const first = Promise.withResolvers<void>()
  hold(first.promise)
  rows.set(7, { id: 7, version: 3 })
  const waits = [0, 0, 1, 3].map((previous) => watch.wait(7, previous, forever))
  waits.push(...Array.from({ length: 2_000 }, () => watch.wait(7, 2, forever)))
  assert.equal(watch.size, 2_004)
  first.resolve()
  const unchanged = waits.splice(3, 1)
  for (const row of await Promise.all(waits)) assert.equal(row?.version, 3)
  assert.deepEqual(reads, [[{ key: 7, previous: 0 }], [0, 1, 3, 2].map((previous) => ({ key: 7, previous }))])
  watch.close()
  assert.deepEqual(await Promise.all(unchanged), [undefined])
})

test('a poll finds a change whose notification was lost, even if no call waited during the previous poll', async () => {
  const { watch, rows, poll } = openWatch()
  for (const id of [1, 2, 3]) {
    const wait = watch.wait(id, 0, forever)
    await setImmediate()
    rows.set(id, { id, version: 1 })
    assert.equal(await poll(), true)
    assert.equal((await wait)?.version, 1)
    await poll()
    assert.equal(await poll(), false)
  }
})

test('frequent notifications for some rows do not delay polls for other rows', async () => {
  const { watch, rows, poll } = openWatch()
  const [noisy, lost] = [watch.wait(1, 0, forever), watch.wait(2, 0, forever)]
  await setImmediate()
  rows.set(2, { id: 2, version: 1 })
  for (let count = 0; count < 3; count += 1) {
    watch.notify([1])
    await setImmediate()
  }
  assert.equal(await poll(), true)
  assert.equal((await lost)?.version, 1)
  watch.close()
  assert.equal(await noisy, undefined)
})

test('a failed read of waiting rows is logged, and the next poll repeats the read', async () => {
  const { watch, rows, errors, poll, hold } = openWatch()
  const away = new Error('the database is away')
  const failed = Promise.reject(away)
  hold(failed)
  const wait = watch.wait(1, 0, forever)
  await setImmediate()
  assert.deepEqual(errors, [away])
  hold(Promise.resolve())
  rows.set(1, { id: 1, version: 1 })
  await poll()
  assert.equal((await wait)?.version, 1)
})

test('a wait for a row ends with its AbortSignal, and all waits end when the watch closes', async () => {
  const { watch } = openWatch()
  const gone = new AbortController()
  const [one, other] = [watch.wait(1, 0, gone.signal), watch.wait(1, 0, forever)]
  gone.abort()
  assert.equal(await one, undefined)
  assert.equal(watch.size, 1)
  watch[Symbol.dispose]()
  assert.equal(await other, undefined)
  assert.equal(await watch.wait(1, 0, forever), undefined)
})
