import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'

const { sql } = await sharedDatabase()

const BYTES = [Buffer.from('\\x"'), Buffer.alloc(0)]
const TEXTS = ['', 'null', 'a,b', '{}', '"quoted"', 'back\\slash', '\\"', 'line\nbreak', ' spaces ', 'Zoë 🎞']

test('arrays of texts, numbers, and byte strings survive a round trip to PostgreSQL', async () => {
  const [row] = await sql`
    select ${TEXTS}::text[] as texts, ${[1, -2]}::integer[] as integers, ${[2 ** 53 - 1, 0]}::bigint[] as bigints,
      ${BYTES}::bytea[] as bytes`
  assert.deepEqual(row?.['texts'], TEXTS)
  assert.deepEqual(row?.['integers'], [1, -2])
  assert.deepEqual(row?.['bigints'], [2 ** 53 - 1, 0])
  assert.deepEqual(row?.['bytes'], BYTES)
  const [parts] = await sql`select (${TEXTS}::text[])[6] as sixth, cardinality(${TEXTS}::text[]) as count`
  assert.deepEqual([parts?.['sixth'], parts?.['count']], ['back\\slash', TEXTS.length])
})

test('empty arrays survive a round trip to PostgreSQL', async () => {
  const [row] = await sql`
    select ${[] as string[]}::text[] as texts, ${[] as number[]}::bigint[] as bigints, array[]::bytea[] as bytes`
  assert.deepEqual(row, { texts: [], bigints: [], bytes: [] })
})
