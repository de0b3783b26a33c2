import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { takeRound } from './sweep.ts'

const { sql } = await sharedDatabase()

test('a new periodic task first runs after its interval, and in only one of several processes', async () => {
  const take = () => takeRound(sql, 'test', 60_000)
  assert.deepEqual([await take(), await take()], [false, false])
  await sql`update rounds set due_at = now() where name = 'test'`
  const taken = await Promise.all([take(), take(), take()])
  assert.deepEqual(taken.filter(Boolean), [true])
  const [row] = await sql<{ inMs: number }[]>`
    select extract(epoch from due_at - now())::float * 1000 as "inMs" from rounds where name = 'test'`
  assert.ok(row !== undefined && row.inMs > 30_000 && row.inMs <= 60_000)
})
