import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { startPair, whyNoPair } from '@mediamill/lab/support/database-pair'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, SECRET_KEY, succeeded } from '@mediamill/lab/support/line'
import { run, until } from '@mediamill/lab/support/process'
import type { Sql } from '../../src/db/connection/connect.ts'
import { connect } from '../../src/db/connection/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { accept } from '../../src/requests/accept.ts'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

/** Accepts a request of the account, works on it and charges it; returns its number. */
async function charged(sql: Sql, accountId: number, order: string): Promise<number> {
  const request = await accept(sql, acceptable(accountId, { metadata: { order } }))
  const found = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(found)
  assert.ok(await settle(sql, found.held, succeeded(), RETENTION_MS))
  return request.id
}

test('a second primary, and what only it has, is named by `ledger verify`; what is done again is charged once [rulings 1]', {
  skip: whyNoPair() ?? false,
  timeout: 240_000,
}, async (t) => {
  await using pair = await startPair({ synchronous: false })
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-split-'))
  t.after(() => rm(folder, { recursive: true }))
  await migrate(pair.url)
  const sql = connect(pair.url, { connections: 2, applicationName: 'test' })
  const account = await openAccount(sql, microUsd(1_000_000))
  await charged(sql, account.id, 'kept')
  await pair.divide()
  const lost = await charged(sql, account.id, 'lost')
  await pair.failOver()
  await until(() =>
    sql`select 1`.then(
      () => true,
      () => false,
    ),
  )
  const again = await charged(sql, account.id, 'lost')
  const settings = { DATABASE_URL: pair.url, SECRET_KEY, DATA_DIR: folder }
  const verify = async () => {
    const command = run(['ledger', 'verify', '--json'], settings)
    return { code: await command.ended, said: JSON.parse(command.out()) }
  }
  const before = await verify()
  assert.deepEqual([before.code, before.said.ok, before.said.primaries], [0, true, []])

  await pair.split()
  const { code, said } = await verify()
  const [old, current] = pair.urls.map((url) => new URL(url).host)
  assert.deepEqual([code, said.ok], [1, false])
  assert.deepEqual(said.primaries, [
    { place: current, timeline: 2 },
    { place: old, timeline: 1 },
  ])
  assert.deepEqual(
    said.lost_requests.map(({ place, request_id, account_id, price }: Record<string, unknown>) => ({
      place,
      request_id,
      account_id,
      price,
    })),
    [{ place: old, request_id: lost, account_id: account.id, price: 2_000 }],
  )
  assert.deepEqual(
    said.lost_movements.map(({ account_id, amount, request_id }: Record<string, unknown>) => ({
      account_id,
      amount,
      request_id,
    })),
    [{ account_id: account.id, amount: -2_000, request_id: lost }],
  )
  assert.deepEqual([said.differences, said.mischarged, said.overdrawn], [[], [], []])
  const told = run(['ledger', 'verify'], settings)
  assert.equal(await told.ended, 1)
  assert.match(told.err(), /Two servers of DATABASE_URL take writes/)

  const charges = await sql`
    select r.metadata ->> 'order' as order, count(*)::integer as charges from ledger l join requests r on r.id = l.request_id
    where l.kind = 'charge' group by 1 order by 1`
  assert.deepEqual(
    [...charges],
    [
      { order: 'kept', charges: 1 },
      { order: 'lost', charges: 1 },
    ],
  )
  const [port] =
    await sql`select current_setting('port') as port, exists (select from requests where id = ${again}) as has`
  assert.deepEqual(
    port && { ...port },
    { port: current?.split(':')[1], has: true },
    'the service stays with the later timeline',
  )
  await sql.end({ timeout: 1 })
})
