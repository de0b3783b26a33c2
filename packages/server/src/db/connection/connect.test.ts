import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startRawServer } from '@mediamill/lab/support/source-server'
import { connect } from './connect.ts'
import { isAway } from './errors.ts'

/** AuthenticationOk and ReadyForQuery, as PostgreSQL and PgBouncer send them after a login. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

const DONE = Buffer.from('C\0\0\0\x0dSELECT 0\0Z\0\0\0\x05I', 'latin1')

/** An error of PgBouncer. An error of PostgreSQL would also contain the name of a server routine. */
const NO_SERVER = Buffer.from('E\0\0\0\x29SFATAL\0C08P01\0Mserver conn crashed?\0\0', 'latin1')

test('if a connection is lost right after it opens, its statement fails, but the process continues', {
  timeout: 60_000,
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

test('if PostgreSQL closes every new connection, a statement fails instead of being retried forever', {
  timeout: 60_000,
}, async () => {
  await using server = await startRawServer((socket) => void socket.end())
  const sql = connect(`postgres://mill@${server.host}/mill`, { connections: 1, applicationName: 'test' })
  await assert.rejects(
    async () => await sql`select 1`,
    (error) => isAway(error),
  )
  assert.equal(server.connections.count, 1)
  await sql.end({ timeout: 1 })
})

test('a statement never receives the response to an earlier statement whose connection was lost', {
  timeout: 60_000,
}, async () => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0'
  const notYet = Buffer.concat([Buffer.from('E'), Buffer.from([0, 0, 0, fields.length + 4]), Buffer.from(fields)])
  // The server closes the first connection during a statement, rejects the second connection, and accepts the third.
  await using server = await startRawServer((socket, connection) => {
    if (connection === 2) socket.end(notYet)
    else socket.write(WELCOME)
    socket.on('data', (data) => {
      if (data.includes('select')) void (connection === 1 ? socket.end() : socket.write(DONE))
    })
  })
  const sql = connect(`postgres://mill@${server.host}/mill`, { connections: 1, applicationName: 'test' })
  const ask = async () => await sql.unsafe('select')
  await assert.rejects(ask, { code: 'CONNECTION_CLOSED' })
  await assert.rejects(ask, isAway)
  await ask()
  await sql.end({ timeout: 1 })
})

test('a database pool uses the most recently used connection first, and closes connections that are idle for a minute', {
  timeout: 60_000,
}, async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const asked: number[] = []
  const ends: Promise<unknown>[] = []
  await using server = await startRawServer((socket, connection) => {
    ends[connection - 1] = once(socket, 'close')
    socket.write(WELCOME)
    socket.on('data', (data) => {
      if (data.includes('select')) {
        asked.push(connection)
        socket.write(DONE)
      }
    })
  })
  const sql = connect(`postgres://mill@${server.host}/mill`, { connections: 3, applicationName: 'test' })
  const ask = async () => await sql.unsafe('select')
  const first = Promise.all([ask(), ask(), ask()])
  // The driver opens some connections in a timer, shortly after the statement.
  await nextTurn()
  mock.timers.tick(0)
  await first
  assert.deepEqual(new Set(asked), new Set([1, 2, 3]))
  for (let time = 0; time < 4; time += 1) await ask()
  assert.equal(new Set(asked.slice(3)).size, 1, `asked over ${asked}`)
  mock.timers.tick(59_000)
  await ask()
  assert.equal(asked.at(-1), asked.at(-2))
  mock.timers.tick(1_000)
  const [used] = asked.slice(-1)
  await Promise.all(ends.filter((_end, index) => index + 1 !== used))
  await ask()
  assert.equal(asked.at(-1), used)
  mock.timers.tick(60_000)
  await Promise.all(ends)
  await sql.end({ timeout: 0 })
})

test('a statement opens a new connection at once if its idle connection was closed', { timeout: 60_000 }, async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  await using server = await startRawServer((socket) => {
    socket.write(WELCOME)
    socket.on('data', (data) => void (data.includes('select') && socket.write(DONE)))
  })
  const sql = connect(`postgres://mill@${server.host}/mill`, { connections: 1, applicationName: 'test' })
  const ask = async () => {
    let hasResponse = false
    const response = sql.unsafe('select').then(() => (hasResponse = true))
    // Runs timers of 0 ms only. The test fails if the driver waits for a longer timer.
    for (let turn = 0; turn < 10_000 && !hasResponse; turn += 1) {
      await nextTurn()
      mock.timers.tick(0)
    }
    assert.ok(hasResponse, 'it waits for a time that does not pass')
    await response
  }
  await ask()
  mock.timers.tick(60_000)
  await ask()
  assert.equal(server.connections.count, 2)
  mock.timers.reset()
  await sql.end({ timeout: 0 })
})
