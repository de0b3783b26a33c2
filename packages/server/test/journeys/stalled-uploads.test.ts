import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { isStoredFile } from '@mediamill/lab/support/stored-files'
import { insertPurchase } from '../../src/db/accounts/accounts.ts'
import { BrokenUpload, readUpload } from '../../src/http/routes/uploads/upload-body.ts'

const service = await sharedService({ workers: false })
const { sql } = service

/** Starts an upload that stops after `sent` bytes. `answered` resolves to the status if the service responds anyway. */
function stall(url: string, key: string, { announced = 100_000, sent = 1000 } = {}) {
  const { promise: answered, resolve } = Promise.withResolvers<number>()
  const call: ClientRequest = httpRequest(`${url}/v1/uploads`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-length': announced },
  })
  call.on('response', (response) => resolve(response.statusCode ?? 0))
  call.on('error', () => {})
  call.write(Buffer.alloc(sent, 'x'))
  return { call, answered }
}

const receiving = async () => {
  const [row] = await sql<{ parts: number }[]>`select count(*)::integer as parts from upload_parts where size is null`
  return row?.parts ?? 0
}
const filesOf = async (dataDir: string) =>
  (await readdir(join(dataDir, 'results'), { recursive: true, withFileTypes: true })).filter(isStoredFile)

test('at most 20 stalled uploads per account, 50 of all accounts without a payment, and 100 per process are open, and they leave no files [uploads.size.3]', async () => {
  const accounts: Awaited<ReturnType<typeof openAccount>>[] = []
  for (let count = 0; count < 7; count += 1) accounts.push(await openAccount(sql))
  await sql`update accounts set requests_per_minute = 1000`
  const [first, second, third, ...paying] = accounts
  assert.ok(first !== undefined && second !== undefined && third !== undefined)
  for (const { id } of paying) await insertPurchase(sql, id, 1_000_000, null)
  const mine = Array.from({ length: 30 }, () => stall(service.url, first.liveKey))
  let rejected = 0
  for (const { answered } of mine) void answered.then((status) => void (rejected += Number(status === 429)))
  // Wait for all 30 uploads. If the limit were missing, the count below would be wrong, and the test would not hang.
  await until(async () => rejected + (await receiving()) === 30)
  assert.equal(rejected, 10)
  const stallAll = (some: typeof accounts) => {
    const calls = some.flatMap(({ liveKey }) => Array.from({ length: 20 }, () => stall(service.url, liveKey)))
    for (const { answered } of calls) void answered.then((status) => void (rejected += Number(status === 429)))
    return calls
  }
  const unpaid = stallAll([second, third])
  await until(async () => rejected + (await receiving()) === 70)
  assert.deepEqual([rejected, await receiving()], [20, 50])
  const paid = stallAll(paying)
  await until(async () => rejected + (await receiving()) === 150)
  assert.deepEqual([rejected, await receiving()], [50, 100])
  for (const { call } of [...mine, ...unpaid, ...paid]) call.destroy()
  await until(async () => (await sql`select from uploads`).length === 0)
  assert.equal((await sql`select from upload_parts`).length, 0)
  assert.equal((await sql`select from upload_room where bytes > 0`).length, 0)
  assert.equal((await filesOf(service.dataDir)).length, 0)
  const whole = stall(service.url, first.liveKey, { announced: 1000, sent: 1000 })
  assert.equal(await whole.answered, 201)
})

test('a form that stalls before its first file counts as one of the 20 stalled uploads of its account [uploads.size.3]', async () => {
  const { liveKey } = await openAccount(sql)
  await sql`update accounts set requests_per_minute = 1000`
  const head = {
    authorization: `Bearer ${liveKey}`,
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': 100_000,
  }
  let rejected = 0
  const forms = Array.from({ length: 22 }, () => {
    const form = httpRequest(`${service.url}/v1/images/process`, { method: 'POST', agent: false, headers: head })
    form.on('response', ({ statusCode }) => void (rejected += Number(statusCode === 429))).on('error', () => {})
    form.write('bytes before the first boundary')
    return form
  })
  await until(() => rejected === 2)
  for (const form of forms) form.destroy()
  const part = '--b\r\nContent-Disposition: form-data; name="source"\r\n\r\nnowhere\r\n--b--\r\n'
  const headers = { authorization: head.authorization, 'content-type': head['content-type'] }
  await until(async () => {
    const { status } = await fetch(`${service.url}/v1/images/process`, { method: 'POST', headers, body: part })
    return status === 422
  })
})

test('an upload that stalls or arrives too slowly is ended [uploads.size.4]', async () => {
  const ends: string[] = []
  await using server = await startHttpServer((call, response) => {
    const pace = { stallMs: 100, minBytesPerSecond: 10_000, paceMs: 300 }
    Array.fromAsync(readUpload(call, { maxBytes: 1_000_000, pace, onBytes: () => {} })).then(
      () => ends.push('whole'),
      (error: unknown) => {
        ends.push(error instanceof BrokenUpload ? error.message : String(error))
        response.writeHead(422).end()
      },
    )
  })
  const { url } = server
  const stopped = stall(url, 'x')
  assert.equal(await stopped.answered, 422)
  const crawling = stall(url, 'x')
  const drip = setInterval(() => crawling.call.write('x'), 10)
  assert.equal(await crawling.answered, 422)
  clearInterval(drip)
  const broken = stall(url, 'x')
  broken.call.once('socket', (socket) => socket.once('connect', () => setImmediate(() => broken.call.destroy())))
  await until(() => ends.length === 3)
  const TOO_SLOW = 'The upload is incomplete: it stopped or was too slow. Send it again.'
  assert.deepEqual(ends.slice(0, 2), [TOO_SLOW, TOO_SLOW])
  assert.match(ends[2] ?? '', /connection ended|stopped/)
})
