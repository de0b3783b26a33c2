import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { hashKey } from '../accounts/key.ts'
import { enterCalls, uncountCalls } from './calls.ts'
import { connect } from './connection/connect.ts'

const database = await sharedDatabase()
const { sql } = database

const PER_MINUTE = { test: 10, free: 30, paid: 120 }

test('a statement that counts many calls at once accepts only calls up to the rate limit per minute [limits.rate.1]', async () => {
  const { testKey } = await openAccount(sql)
  const hash = hashKey(testKey)
  const enter = async (count: number) => {
    const entered = await enterCalls(sql, Array<string>(count).fill(hash), PER_MINUTE)
    return entered.map((one) => [one?.pace.entered, one?.pace.used])
  }
  const first = Array.from({ length: 15 }, (_, nth) => [nth < 10, Math.min(nth + 1, 10)])
  assert.deepEqual(await enter(15), first)
  assert.deepEqual(await enter(2), Array(2).fill([false, 10]))
})

test('each of several parallel calls counts for its own key [limits.counting.1]', async () => {
  const [one, other] = [await openAccount(sql), await openAccount(sql)]
  const keys = [other.liveKey, one.liveKey, 'svc_live_nobody', one.testKey, one.liveKey, one.liveKey]
  const entered = await enterCalls(sql, keys.map(hashKey), PER_MINUTE)
  assert.deepEqual(
    entered.map((call) => call && [call.caller.callerId, call.caller.keyLivemode, call.pace.used]),
    [[other.id, true, 1], [one.id, true, 1], undefined, [one.id, false, 1], [one.id, true, 2], [one.id, true, 3]],
  )
})

test('the rate limit per minute is exact across parallel connections [limits.rate.1]', async () => {
  const { testKey } = await openAccount(sql)
  const pool = connect(database.url, { connections: 8, applicationName: 'test' })
  const comings = Array.from({ length: 24 }, () => enterCalls(pool, [hashKey(testKey)], PER_MINUTE))
  const entered = (await Promise.all(comings)).flat().filter((call) => call?.pace.entered === true)
  await pool.end()
  assert.deepEqual(
    entered.map((call) => call?.pace.used ?? 0).toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  )
})

test('the rate limit does not count rejected calls or calls of a suspended account [limits.rate.1]', async () => {
  const { id, testKey } = await openAccount(sql)
  const used = async (count: number) =>
    (await enterCalls(sql, Array(count).fill(hashKey(testKey)), PER_MINUTE)).at(-1)?.pace.used
  assert.equal(await used(3), 3)
  await sql`update accounts set suspended = true where id = ${id}`
  assert.equal(await used(3), 3)
  await sql`update accounts set suspended = false where id = ${id}`
  assert.equal(await used(20), 10)
  const [window] = await sql<{ upto: number[] }[]>`select upto from call_windows where account_id = ${id}`
  assert.equal(window?.upto.at(-1), 10)
})

const entryOf = (id: number, livemode: boolean, entered: Awaited<ReturnType<typeof enterCalls>>[number]) => ({
  accountId: id,
  livemode,
  enteredAt: entered?.pace.enteredAt ?? 0,
})

test('after calls are uncounted in parallel, exactly as many further calls are accepted [limits.rate.1]', async () => {
  const { id, testKey } = await openAccount(sql)
  const enter = async (count: number) => await enterCalls(sql, Array<string>(count).fill(hashKey(testKey)), PER_MINUTE)
  const calls = [...(await enter(3)), ...(await enter(4)), ...(await enter(3))]
  const pool = connect(database.url, { connections: 4, applicationName: 'test' })
  const uncounted = [[0, 4], [5], [8], [9]].map((places) =>
    uncountCalls(
      pool,
      places.map((place) => entryOf(id, false, calls[place])),
    ),
  )
  const states = (await Promise.all(uncounted)).flat()
  await pool.end()
  assert.equal(Math.min(...states.map((state) => state?.used ?? 0)), 5)
  const again = await enter(7)
  assert.deepEqual(
    again.map((call) => [call?.pace.entered, call?.pace.used]),
    Array.from({ length: 7 }, (_, nth) => [nth < 5, Math.min(nth + 6, 10)]),
  )
})

test('an uncounted call does not delay or advance the time at which earlier and later calls are a minute old [limits.rate.1]', async () => {
  const { id, testKey } = await openAccount(sql)
  await enterCalls(sql, [hashKey(testKey)], PER_MINUTE)
  // Simulates four calls before 50 s, six calls before 20 s, and one call more than a minute ago.
  await sql`
    update call_windows set at = array[now - 70000, now - 50000, now - 20000], upto = array[1, 5, 11]
    from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) clock where account_id = ${id}`
  const [window] = await sql<{ at: number[] }[]>`select at from call_windows where account_id = ${id}`
  const uncount = async (entry: number, count: number) => {
    const call = { accountId: id, livemode: false, enteredAt: window?.at[entry] ?? 0 }
    const [state] = await uncountCalls(sql, Array<typeof call>(count).fill(call))
    return [state?.used, Math.ceil((state?.freeInMs ?? 0) / 10_000)]
  }
  assert.deepEqual(await uncount(1, 1), [9, 1])
  assert.deepEqual(await uncount(0, 1), [9, 1], 'a call that is older than a minute')
  assert.deepEqual(await uncount(1, 3), [6, 4], 'all calls of the oldest entry')
  assert.deepEqual(await uncount(2, 6), [0, 0])
})

test('a call that waits for a lock on its account does not delay other accounts', async () => {
  const [one, other] = [await openAccount(sql), await openAccount(sql)]
  await enterCalls(sql, [hashKey(one.liveKey), hashKey(other.liveKey)], PER_MINUTE)
  const waiting = await sql.begin(async (tx) => {
    await tx`select from call_windows where account_id = ${one.id} for update`
    const held = enterCalls(sql, [hashKey(one.liveKey)], PER_MINUTE)
    const [free] = await enterCalls(sql, [hashKey(other.liveKey)], PER_MINUTE)
    assert.equal(free?.pace.used, 2)
    return { held }
  })
  const [late] = await waiting.held
  assert.equal(late?.pace.used, 2)
})

test('after the database clock is set back, a new minute starts with the same rate limits [limits.rate.1]', async () => {
  const { id, testKey } = await openAccount(sql)
  const enter = async (count: number) =>
    (await enterCalls(sql, Array(count).fill(hashKey(testKey)), PER_MINUTE)).map((call) => call?.pace)
  await enter(10)
  assert.equal((await enter(1))[0]?.entered, false)
  await sql`
    update call_windows set at = array(select case when n = 0 then 0 else n + 3600000 end from unnest(at) n)
    where account_id = ${id}`
  const again = await enter(12)
  assert.deepEqual(
    again.map((pace) => [pace?.entered, pace?.used]),
    Array.from({ length: 12 }, (_, nth) => [nth < 10, Math.min(nth + 1, 10)]),
  )
  const [later] = await enter(1)
  assert.equal(later?.entered, false)
  assert.ok(Number(later?.freeInMs) > 0 && Number(later?.freeInMs) <= 60_000)
})

test('the rate limit is not exceeded if a call has an earlier time than the call that was counted before it [limits.rate.1]', async () => {
  const { id, testKey } = await openAccount(sql)
  await enterCalls(sql, [hashKey(testKey)], PER_MINUTE)
  // Simulates an earlier call whose clock was 100 ms ahead.
  await sql`
    update call_windows set at = array[later - 60000, later], upto = array[0, 10]
    from (select (extract(epoch from clock_timestamp()) * 1000)::bigint + 100 as later) clock where account_id = ${id}`
  const [call] = await enterCalls(sql, [hashKey(testKey)], PER_MINUTE)
  assert.deepEqual([call?.pace.entered, call?.pace.used], [false, 10])
  assert.ok((call?.pace.freeInMs ?? 0) > 59_000)
})

test('an API key stays valid if a database crash loses its rate limit row', async () => {
  const { testKey } = await openAccount(sql)
  await sql`create sequence opened`
  await sql`
    create function lose_first() returns trigger language plpgsql as
    'begin if nextval(''opened'') > 1 then return new; end if; return null; end'`
  await sql`create trigger lose_first before insert on call_windows for each row execute function lose_first()`
  const [call] = await enterCalls(sql, [hashKey(testKey)], PER_MINUTE)
  await sql`drop trigger lose_first on call_windows`
  assert.equal(call?.pace.used, 1)
})
