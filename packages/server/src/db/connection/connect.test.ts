import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRawServer } from '@mediamill/lab/support/source-server'
import { connect, isAway } from './connect.ts'

/** What PostgreSQL, or PgBouncer for it, says to who may come in: authentication is over, ask. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

/** An error as PgBouncer sends it: without the routine that PostgreSQL would add. */
const NO_SERVER = Buffer.from('E\0\0\0\x29SFATAL\0C08P01\0Mserver conn crashed?\0\0', 'latin1')

test('a connection that is lost as soon as it is open costs its statement, and not the process', {
  timeout: 10_000,
}, async () => {
  for (const farewell of [Buffer.alloc(0), NO_SERVER]) {
    await using server = await startRawServer((socket) => {
      socket.write(WELCOME)
      socket.once('data', () => socket.end(farewell))
    })
    const sql = connect(`postgres://mill@${server.host}/mill`, { connections: 1, applicationName: 'test' })
    const error = await sql`select ${[1]}::bigint[]`.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.equal(isAway(error), true, String(error))
    await sql.end({ timeout: 1 })
  }
})
