import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batch } from './batch.ts'
import { connect } from './connect.ts'

/** A pool that sends no statement, because each test passes its own runner. */
const sql = connect('postgres://nobody@127.0.0.1/none', { connections: 1, applicationName: 'test' })

function held() {
  const statements: Array<{ items: readonly number[] } & PromiseWithResolvers<readonly string[]>> = []
  const batched = batch((_sql, items: readonly number[]) => {
    const statement = { items, ...Promise.withResolvers<readonly string[]>() }
    statements.push(statement)
    return statement.promise
  })
  return { statements, ask: (item: number) => batched(sql, item) }
}

test('the batcher runs the first item at once and later items as one batch, and returns to each caller its own result', async () => {
  const { statements, ask } = held()
  const responses = [1, 2, 3].map((item) => ask(item))
  assert.deepEqual(
    statements.map(({ items }) => items),
    [[1]],
  )
  statements[0]?.resolve(['one'])
  assert.equal(await responses[0], 'one')
  assert.deepEqual(statements[1]?.items, [2, 3])
  statements[1]?.resolve(['two', 'three'])
  assert.deepEqual(await Promise.all(responses), ['one', 'two', 'three'])
  void ask(4)
  assert.deepEqual(statements[2]?.items, [4])
})

test('an error of one batch statement rejects only the items in this statement', async () => {
  const { statements, ask } = held()
  const first = ask(1)
  const rest = [ask(2), ask(3)]
  statements[0]?.reject(new Error('broken'))
  await assert.rejects(first, /broken/)
  statements[1]?.resolve(['two', 'three'])
  assert.deepEqual(await Promise.all(rest), ['two', 'three'])
})

test('a batch statement that hangs does not block later items forever', async () => {
  const { statements, ask } = held()
  void ask(1)
  const second = ask(2)
  while (statements.length < 2) await new Promise((resolve) => setImmediate(resolve))
  statements[1]?.resolve(['two'])
  assert.equal(await second, 'two')
})

test('the batcher splits items into several statements if there are more items than one statement may have', async () => {
  const sizes: number[] = []
  const ask = batch(async (_sql, items: readonly number[]) => {
    sizes.push(items.length)
    await Promise.resolve()
    return items.map((item) => item * 2)
  })
  const items = Array.from({ length: 150 }, (_, index) => index)
  assert.deepEqual(
    await Promise.all(items.map((item) => ask(sql, item))),
    items.map((item) => item * 2),
  )
  assert.deepEqual(sizes, [1, 64, 64, 21])
})
