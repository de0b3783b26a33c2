import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { startRawServer } from '@mediamill/lab/support/source-server'
import { connect, isAway } from './connect.ts'
import { postgres, repaired } from './driver.ts'

/** What PostgreSQL says to who may come in: authentication is over, ask. */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')
/** The answer to a statement of the simple protocol that returns nothing. */
const DONE = Buffer.from('C\0\0\0\x0dSELECT 0\0Z\0\0\0\x05I', 'latin1')

/** A connection in memory, to a server that lets everyone in and answers every statement. */
function openSocket(): Duplex {
  let isIn = false
  const socket: Duplex = new Duplex({
    read: () => undefined,
    write(_chunk, _encoding, done) {
      const answer = isIn ? DONE : WELCOME
      isIn = true
      // As from a network: never before the write has returned.
      setImmediate(() => socket.push(answer))
      done()
    },
  })
  return socket
}

test('a connection that closes with a write on its way is opened again, and speaks', { timeout: 10_000 }, async () => {
  const sockets: Duplex[] = []
  const options = {
    max: 1,
    fetch_types: false,
    connect_timeout: 2,
    backoff: 0,
    socket: () => {
      const socket = openSocket()
      sockets.push(socket)
      return socket
    },
  }
  // The types of the driver leave out the socket.
  const sql = postgres(options as object)
  await sql`select`.simple()
  const lost = assert.rejects(async () => await sql`select`.simple(), { code: 'CONNECTION_CLOSED' })
  // The statement waits for the end of this turn to be written; the connection closes before that.
  for (let step = 0; step < 5; step += 1) await Promise.resolve()
  sockets[0]?.emit('close', false)
  await lost
  await sql`select`.simple()
  assert.equal(sockets.length, 2)
  // The driver ends sockets of the network alone; the time of a connection that stays open would keep this process.
  for (const socket of sockets) socket.destroy()
  await sql.end({ timeout: 1 })
})

test('a server that hangs up before it says a word costs a statement, which is not tried without end', {
  timeout: 10_000,
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

test('a statement is not answered with what a server said to one before it, which was lost', {
  timeout: 10_000,
}, async () => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is not yet accepting connections\0\0'
  const notYet = Buffer.concat([Buffer.from('E'), Buffer.from([0, 0, 0, fields.length + 4]), Buffer.from(fields)])
  // It ends under a statement, then is not yet there, and then is there.
  await using server = await startRawServer((socket, connection) => {
    if (connection === 2) socket.end(notYet)
    else socket.write(WELCOME)
    socket.on('data', () => (connection === 1 ? socket.end() : socket.write(DONE)))
  })
  const sql = postgres(`postgres://mill@${server.host}/mill`, { max: 1, fetch_types: false, backoff: 0 } as object)
  const ask = async () => await sql`select`.simple()
  await assert.rejects(ask, { code: 'CONNECTION_CLOSED' })
  await assert.rejects(ask, isAway)
  await ask()
  await sql.end({ timeout: 1 })
})

test('a pool uses the connection that it used last, and closes those that rest for a minute', {
  timeout: 10_000,
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
  const ask = async () => await sql`select`.simple()
  const first = Promise.all([ask(), ask(), ask()])
  // The driver opens connections by a timer too, a moment after the statement.
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

test('a connection that was closed for its rest is opened again without a pause', { timeout: 20_000 }, async ({
  mock,
}) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  await using server = await startRawServer((socket) => {
    socket.write(WELCOME)
    socket.on('data', (data) => void (data.includes('select') && socket.write(DONE)))
  })
  const sql = connect(`postgres://mill@${server.host}/mill`, { connections: 1, applicationName: 'test' })
  const ask = async () => {
    let isAnswered = false
    const answer = sql`select`.simple().then(() => (isAnswered = true))
    // Only what the driver does at once comes to its turn.
    for (let turn = 0; turn < 10_000 && !isAnswered; turn += 1) {
      await nextTurn()
      mock.timers.tick(0)
    }
    assert.ok(isAnswered, 'it waits for a time that does not pass')
    await answer
  }
  await ask()
  mock.timers.tick(60_000)
  await ask()
  assert.equal(server.connections.count, 2)
  mock.timers.reset()
  await sql.end({ timeout: 0 })
})

test('another version of the driver is not repaired blindly', async () => {
  const main = createRequire(import.meta.url).resolve('postgres')
  for (const file of ['connection', 'index', 'queue'] as const) {
    const text = await readFile(main.replace(/cjs\/src\/index\.js$/, `src/${file}.js`), 'utf8')
    assert.notEqual(repaired(text, file), text)
    assert.throws(() => repaired('', file), /not the version/)
    if (file !== 'queue') assert.throws(() => repaired(repaired(text, file), file), /not the version/)
  }
})
