import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { connect as connectTo } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { isAway } from './errors.ts'

const ofServer = (code: string, routine?: string) =>
  Object.assign(new pg.DatabaseError('any', 0, 'error'), { code, routine })

test('the database counts as unavailable only if the connection is lost, or if the server is starting, is stopping, has no free connection, or is a standby', () => {
  for (const code of ['08000', '08006', '57P01', '57P02', '57P03', '53300', '25006'])
    assert.equal(isAway(ofServer(code, 'any')), true, code)
  // A unique key, a check, a deadlock, a statement timeout, a full disk, a wrong password, and a dropped database.
  for (const code of ['23505', '23514', '40P01', '57014', '53100', '28P01', '57P04'])
    assert.equal(isAway(ofServer(code, 'any')), false, code)
})

test('a process treats error 08P01 from PgBouncer as a lost session, and 08P01 from PostgreSQL as a bug', () => {
  assert.equal(isAway(ofServer('08P01')), true)
  assert.equal(isAway(ofServer('08P01', 'pq_getmsgend')), false)
})

test('a missing PostgreSQL socket counts as an unavailable database, and any other missing file does not', async () => {
  const path = '/nonexistent/mediamill'
  await assert.rejects(readFile(path), (error) => !isAway(error))
  await assert.rejects(new Promise((_, reject) => connectTo(path).on('error', reject)), (error) => isAway(error))
})
