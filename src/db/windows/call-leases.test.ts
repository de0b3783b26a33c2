import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../../test/support/database.ts'
import { acceptable, openAccount } from '../../../test/support/line.ts'
import { hashKey } from '../../accounts/key.ts'
import { accept } from '../../requests/accept.ts'
import { enterCalls } from '../calls.ts'
import { CallLeases } from './call-leases.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

const PER_MINUTE = { test: 10, free: 30, paid: 120 }

/** An account with so many calls a minute, and processes that call with its key; their clocks stand still. */
async function busy(limit: number) {
  const { id, liveKey } = await openAccount(sql)
  await sql`update accounts set requests_per_minute = ${limit} where id = ${id}`
  const hash = hashKey(liveKey).toString('hex')
  function openProcess() {
    const clock = { now: 1_000 }
    const leases = new CallLeases(() => clock.now)
    const call = async (count = 1, requestId: number | null = null) => {
      const entered = await enterCalls(sql, Array(count).fill({ hash, requestId }), PER_MINUTE, leases)
      return entered.map((one) => one && { used: one.pace.used, entered: one.pace.entered, request: one.request?.id })
    }
    return { call, clock }
  }
  const window = async () => {
    const [row] = await sql`
      select upto[cardinality(upto)] - upto[1] as counted, at, upto, xmin::text from call_windows where account_id = ${id}`
    return row as { counted: number; at: number[]; upto: number[]; xmin: string }
  }
  return { id, liveKey, hash, openProcess, window }
}

const usedOf = (calls: readonly ({ used: number } | undefined)[]) => calls.map((call) => call?.used)

test('calls of a busy key are counted ahead, as many as came of late; each is told its own count [8]', async () => {
  const { openProcess, window } = await busy(10_000)
  const { call } = openProcess()
  assert.deepEqual(usedOf(await call(8)), [1, 2, 3, 4, 5, 6, 7, 8])
  assert.deepEqual(usedOf(await call()), [9])
  const ahead = await window()
  assert.equal(ahead.counted, 8 + 1 + 7)
  for (let nth = 0; nth < 7; nth += 1) assert.deepEqual(usedOf(await call()), [10 + nth])
  assert.equal((await window()).xmin, ahead.xmin, 'without a write')
  assert.deepEqual(usedOf(await call()), [17])
  assert.notEqual((await window()).xmin, ahead.xmin)
})

test('a call of a lease sees its request as it is [4.4]', async () => {
  const { id, openProcess } = await busy(10_000)
  const { call } = openProcess()
  const request = await accept(sql, acceptable(id))
  await call(8)
  await call()
  assert.deepEqual(await call(1, request.id), [{ used: 10, entered: true, request: request.id }])
})

test('calls counted ahead that do not come are returned before calls are counted again [8]', async () => {
  const { openProcess, window } = await busy(10_000)
  const { call, clock } = openProcess()
  await call(8)
  await call()
  assert.equal((await window()).counted, 16)
  clock.now += 300
  assert.deepEqual(usedOf(await call()), [10])
  clock.now += 10_000
  assert.deepEqual(usedOf(await call()), [11])
  assert.equal((await window()).counted, 11)
})

test('with two processes at once no call is let in beyond the limit, and none refused below it [8]', async () => {
  const limit = 300
  const { openProcess, window } = await busy(limit)
  const processes = [openProcess(), openProcess()]
  let entered = 0
  for (let round = 0; round < 60; round += 1) {
    const calls = await Promise.all(processes.map(({ call }) => call(round % 3 === 0 ? 8 : 1)))
    entered += calls.flat().filter((one) => one?.entered === true).length
    if (round % 5 === 4) for (const { clock } of processes) clock.now += 300
  }
  // Whoever still has calls left of a lease returns them when it next counts.
  for (const { clock } of processes) clock.now += 300
  for (let more = 0; more < limit; more += 1) {
    const [one] = (await processes[more % 2]?.call()) ?? []
    if (one?.entered !== true && more > 2) break
    if (one?.entered === true) entered += 1
  }
  assert.equal(entered, limit)
  assert.equal((await window()).counted, limit)
})

test('what a process that died had counted ahead leaves with its minute, and no call is let in for it [8]', async () => {
  const limit = 260
  const { id, openProcess, window } = await busy(limit)
  const dead = openProcess()
  await dead.call(40)
  await dead.call()
  assert.equal((await window()).counted, 40 + 40)
  const { call } = openProcess()
  const entered = (await call(limit)).filter((one) => one?.entered === true)
  assert.equal(entered.length, limit - 80)
  await sql`update call_windows set at = array(select case when n = 0 then 0 else n - 60250 end from unnest(at) n) where account_id = ${id}`
  assert.equal((await call(limit)).filter((one) => one?.entered === true).length, limit)
})

test('a lease is counted at its end, so that no call leaves the minute too early, and is over then [8]', async () => {
  const { openProcess, window } = await busy(10_000)
  const { call, clock } = openProcess()
  await call(8)
  const before = Date.now()
  await call()
  const { at, xmin } = await window()
  const last = at.at(-1) ?? 0
  assert.deepEqual([last % 250, last >= before], [249, true])
  clock.now += last - before + 1
  await call()
  assert.notEqual((await window()).xmin, xmin, 'its calls are over with the quarter of a second')
})

test('nothing is counted ahead for keys that seldom call, have small limits, or are past half of theirs [8]', async () => {
  const seldom = await busy(10_000)
  const process = seldom.openProcess()
  for (let nth = 0; nth < 9; nth += 1) {
    await process.call()
    process.clock.now += 200
  }
  assert.equal((await seldom.window()).counted, 9)
  const small = await busy(240)
  const other = small.openProcess()
  await other.call(8)
  await other.call()
  assert.equal((await small.window()).counted, 9)
  const half = await busy(300)
  const third = half.openProcess()
  await third.call(75)
  await third.call(12)
  assert.equal((await half.window()).counted, 75 + 12 + 63)
  const past = await busy(300)
  const fourth = past.openProcess()
  await fourth.call(76)
  await fourth.call(12)
  assert.equal((await past.window()).counted, 76 + 12)
})

test('a suspended account, a revoked key and a limit that was lowered hold for the calls of a lease at once [3, 8]', async () => {
  const { id, openProcess, hash, window } = await busy(10_000)
  const { call } = openProcess()
  await call(8)
  await call()
  await sql`update accounts set suspended = true where id = ${id}`
  assert.deepEqual(
    (await call()).map((one) => one?.entered),
    [false],
  )
  await sql`update accounts set suspended = false where id = ${id}`
  assert.deepEqual(usedOf(await call()), [10])
  await sql`update accounts set requests_per_minute = 10 where id = ${id}`
  assert.deepEqual(
    (await call(2)).map((one) => one?.entered),
    [false, false],
  )
  assert.equal((await window()).counted, 10)
  await sql`update api_keys set revoked_at = now() where hash = decode(${hash}, 'hex')`
  assert.deepEqual(await call(), [undefined])
})
