import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { AccountId, RequestId } from '@mediamill/contract/domain/ids'
import { createDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, SECRET_KEY, succeeded } from '@mediamill/lab/support/line'
import { listenToEnds } from '../db/connection/notices.ts'
import { markAwaited } from '../db/requests.ts'
import { abort } from './abort.ts'
import { accept } from './accept.ts'
import { claim, updateProgress } from './claim.ts'
import { openEnd } from './events/sealed-end.ts'
import type { SettleOptions } from './settle.ts'
import { settle } from './settle.ts'
import { RequestWatch } from './watch.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

const forever = new AbortController().signal

async function open(awaited = true) {
  const account = await openAccount(sql)
  const { id } = await accept(sql, acceptable(account.id, { awaited }))
  return { id, accountId: account.id as AccountId }
}

async function finish(id: RequestId, options: SettleOptions = {}): Promise<void> {
  for (;;) {
    const taken = await claim(sql, await aliveWorker(sql), 'image', [])
    assert.ok(taken)
    if (taken.request.id !== id) continue
    assert.ok(await settle(sql, taken.held, succeeded(), RETENTION_MS, options))
    return
  }
}

const isLook = ([strings]: unknown[]) => String((strings as string[]).join('')).includes('completed_at is not null')

/** The pool, and how often requests that calls wait for were looked at on it. */
function countingLooks() {
  const looks = { count: 0 }
  const counting = new Proxy(sql, {
    apply(target, self, args) {
      if (isLook(args)) looks.count += 1
      return Reflect.apply(target, self, args) as unknown
    },
  })
  return { looks, counting }
}

const openSealed = (id: number, sealed: string) => openEnd(SECRET_KEY, id, sealed)

test('the end of one request alone comes with its notice, and nobody has to look for it [4.7, rulings 16]', async () => {
  const { id } = await open()
  // A pool that never answers a look.
  const blind = new Proxy(sql, {
    apply: (target, self, args) => (isLook(args) ? new Promise(() => undefined) : Reflect.apply(target, self, args)),
  })
  await using watch = new RequestWatch(blind, sql, openSealed)
  const listening = await listenToEnds(sql, () => undefined)
  const waits = [watch.wait(id, forever), watch.wait(id, forever)]
  await finish(id, { secretKey: SECRET_KEY })
  const [one, other] = await Promise.all(waits)
  assert.equal(watch.size, 0)
  await using looking = new RequestWatch(sql)
  assert.deepEqual(one, await looking.wait(id, forever))
  assert.deepEqual(other, one)
  await listening.stop()
})

test('an end that its notice does not say is looked for: sealed with another key, or too long [4.7, rulings 16]', async () => {
  await using watch = new RequestWatch(sql, sql, openSealed)
  const { id } = await open()
  const waiting = watch.wait(id, forever)
  await finish(id, { secretKey: 'a key of another service than this one' })
  assert.equal((await waiting)?.status, 'succeeded')
  const account = await openAccount(sql)
  const long = acceptable(account.id, { awaited: true, input: { operations: [], note: 'x'.repeat(8_000) } })
  const request = await accept(sql, long)
  const longer = watch.wait(request.id, forever)
  await finish(request.id, { secretKey: SECRET_KEY })
  assert.equal((await longer)?.status, 'succeeded')
})

test('all who wait for a request get it once it has ended, with notices and without [4.7, rulings 16]', async () => {
  for (const notices of [undefined, sql]) {
    await using watch = new RequestWatch(sql, notices)
    const { id } = await open()
    const waits = [watch.wait(id, forever), watch.wait(id, forever)]
    assert.equal(watch.size, 2)
    await finish(id)
    for (const request of await Promise.all(waits)) assert.deepEqual([request?.id, request?.status], [id, 'succeeded'])
    assert.equal(watch.size, 0)
  }
})

test('a request that ended before is found by the first look [4.7, rulings 16]', async () => {
  await using watch = new RequestWatch(sql)
  const { id, accountId } = await open()
  await abort(sql, accountId, id)
  assert.equal((await watch.wait(id, forever))?.status, 'aborted')
})

test('the end of a request is told by a notice where a call waits for it, and only there [4.7, rulings 16]', async () => {
  const heard = new Set<number>()
  const { promise, resolve } = Promise.withResolvers<void>()
  const later = await open()
  await markAwaited(sql, later.id)
  const listening = await listenToEnds(sql, (ids) => {
    for (const id of ids) heard.add(id)
    if (heard.has(later.id)) resolve()
  })
  const quiet = await open(false)
  const awaited = await open(true)
  await finish(quiet.id)
  await finish(awaited.id)
  await abort(sql, later.accountId, later.id)
  await promise
  await listening.stop()
  assert.deepEqual([heard.has(quiet.id), heard.has(awaited.id)], [false, true])
})

test('who waits for a change gets it, with its progress, and at last the end; what was seen is none [4.7, rulings 16]', async () => {
  await using watch = new RequestWatch(sql)
  const { id } = await open()
  const taking = watch.waitForChange(id, { status: 'queued', progress: 0 }, forever)
  const worker = await aliveWorker(sql)
  let taken = await claim(sql, worker, 'image', [])
  while (taken !== undefined && taken.request.id !== id) taken = await claim(sql, worker, 'image', [])
  assert.ok(taken)
  assert.equal((await taking)?.status, 'processing')
  const seen = { status: 'processing', progress: 0 } as const
  const [growing, ending] = [watch.waitForChange(id, seen, forever), watch.wait(id, forever)]
  await updateProgress(sql, taken.held, 40)
  const grown = await growing
  assert.deepEqual([grown?.status, grown?.status === 'processing' && grown.progress], ['processing', 40])
  const last = watch.waitForChange(id, { ...seen, progress: 40 }, forever)
  assert.equal(watch.size, 2)
  assert.ok(await settle(sql, taken.held, succeeded(), RETENTION_MS))
  assert.deepEqual([(await last)?.status, (await ending)?.status], ['succeeded', 'succeeded'])
})

test('an end that was told of before the call waits for it is looked for at once [4.7, rulings 16]', async () => {
  const { looks, counting } = countingLooks()
  await using watch = new RequestWatch(counting, sql)
  const { id, accountId } = await open()
  const heard = Promise.withResolvers<void>()
  const listening = await listenToEnds(sql, (ids) => ids.includes(id) && heard.resolve())
  await abort(sql, accountId, id)
  await heard.promise
  const ended = watch.wait(id, forever)
  await setImmediate()
  assert.equal(looks.count, 1, 'before the hundred milliseconds of the next look')
  assert.equal((await ended)?.status, 'aborted')
  await listening.stop()
})

test('who gives up waiting, and who waits when the watch closes, gets nothing; the request goes on [4.7, rulings 16]', async () => {
  await using watch = new RequestWatch(sql)
  const { id } = await open()
  const hangUp = new AbortController()
  const first = watch.wait(id, hangUp.signal)
  const second = watch.wait(id, forever)
  hangUp.abort()
  assert.equal(await first, undefined)
  assert.equal(watch.size, 1)
  watch.close()
  assert.equal(await second, undefined)
  assert.equal(await watch.wait(id, forever), undefined)
  await finish(id)
})

test('however many calls wait, one statement asks for all of them [4.7, rulings 16]', async () => {
  const { id } = await open()
  const { looks, counting } = countingLooks()
  await using watch = new RequestWatch(counting)
  const waits = Array.from({ length: 2_000 }, () => watch.wait(id, forever))
  await finish(id)
  await Promise.all(waits)
  assert.ok(looks.count >= 1 && looks.count <= 20, `${looks.count} statements`)
})

/** Takes over the timers of looks: their time passes where the test says so, and that of the database's own goes on. */
function holdLooks(t: TestContext): { pass: (ms: number) => void } {
  const real = { setTimeout, clearTimeout }
  const held = new Map<unknown, { work: () => void; ms: number }>()
  t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number, ...rest: []) => {
    if (ms !== 100 && ms !== 500) return real.setTimeout(work, ms, ...rest)
    const timer = {}
    held.set(timer, { work, ms })
    return timer
  })
  t.mock.method(globalThis, 'clearTimeout', (timer: NodeJS.Timeout) => {
    if (!held.delete(timer)) real.clearTimeout(timer)
  })
  return {
    pass(passedMs) {
      const due = [...held].filter(([, { ms }]) => ms <= passedMs)
      for (const [timer, { work }] of due) if (held.delete(timer)) work()
    },
  }
}

test('who waits for a change is not kept waiting by the later look of those who wait for ends alone [4.7, rulings 16]', async (t) => {
  const { looks, counting } = countingLooks()
  const { id } = await open()
  const listening = await listenToEnds(sql, () => undefined)
  await using watch = new RequestWatch(counting, sql)
  // It hears by then: both listen on one connection.
  const again = await listenToEnds(sql, () => undefined)
  t.after(() => Promise.all([listening.stop(), again.stop()]))
  await setImmediate()
  const timers = holdLooks(t)
  const ending = watch.wait(id, forever)
  timers.pass(100)
  assert.equal(looks.count, 0, 'an end is told of')
  const changing = watch.waitForChange(id, { status: 'processing', progress: 0 }, forever)
  timers.pass(100)
  assert.equal(looks.count, 1)
  assert.equal((await changing)?.status, 'queued')
  watch.close()
  assert.equal(await ending, undefined)
})
