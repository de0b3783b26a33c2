import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, SECRET_KEY, succeeded } from '@mediamill/lab/support/line'
import { seal } from '../../accounts/seal.ts'
import { listById } from '../../db/requests.ts'
import { accept } from '../accept.ts'
import { claim } from '../claim.ts'
import { settle } from '../settle.ts'
import { openEnd, sealEnd } from './sealed-end.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

async function endedRow() {
  const account = await openAccount(sql)
  const named = { customer: 'Zoë', metadata: { kind: 'ä b' }, awaited: true }
  const { id } = await accept(sql, acceptable(account.id, named))
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken && (await settle(sql, taken.held, succeeded(), RETENTION_MS)))
  const [row] = await listById(sql, [id])
  assert.ok(row)
  return row
}

test('a row comes out of a notice as the database has it, and nothing of it can be read in the notice', async () => {
  const row = await endedRow()
  const sealed = sealEnd(SECRET_KEY, row)
  assert.deepEqual(openEnd(SECRET_KEY, row.id, sealed), row)
  assert.ok(row.completedAt instanceof Date && row.deletedAt instanceof Date)
  assert.doesNotMatch(sealed, / /)
  assert.ok(!Buffer.from(sealed, 'base64').includes('example.com'))
  const olderToo = `${'n'.repeat(32)},${SECRET_KEY}`
  assert.deepEqual(openEnd(olderToo, row.id, sealed), row, 'while SECRET_KEY is being replaced')
})

/** The text with another character at a place. */
const changedAt = (index: number, text: string) =>
  text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)

test('what another key or another version wrote, or is of another request, is none of a notice', async () => {
  const row = await endedRow()
  const sealed = sealEnd(SECRET_KEY, row)
  const context = `request ${row.id}`
  const written = (value: object) =>
    `sixteen+letters/${seal(SECRET_KEY, context, JSON.stringify(value), 'ends of sixteen+letters/').toString('base64')}`
  const { took: _took, ...older } = row
  const refused = {
    'another key': openEnd('another secret key that nobody has', row.id, sealed),
    'another request': openEnd(SECRET_KEY, row.id + 1, sealed),
    'a changed name of a key': openEnd(SECRET_KEY, row.id, changedAt(0, sealed)),
    'a changed text': openEnd(SECRET_KEY, row.id, changedAt(40, sealed)),
    'an older version': openEnd(SECRET_KEY, row.id, written(older)),
    'a newer version': openEnd(SECRET_KEY, row.id, written({ ...row, more: 1 })),
    'another name': openEnd(SECRET_KEY, row.id, written({ ...older, taken: 1 })),
    'another process': openEnd(SECRET_KEY, row.id, written(row).replace('six', 'sex')),
    'no row': openEnd(SECRET_KEY, row.id, ''),
  }
  assert.deepEqual(Object.values(refused).filter(Boolean), [], JSON.stringify(refused))
  assert.deepEqual(openEnd(SECRET_KEY, row.id, written(row)), row)
})
