import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { announce } from './claim.ts'

const { sql } = await sharedDatabase()

test('a newly registered worker counts as alive before its first heartbeat, and is stored with its host name', async () => {
  const id = randomUUID()
  await announce(sql, { id, host: 'a machine' })
  const known = await sql`select host, seen_at > now() - interval '5 seconds' as fresh from workers where id = ${id}`
  assert.deepEqual([...known], [{ host: 'a machine', fresh: true }])
})
