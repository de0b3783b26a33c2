import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { findAccount } from '../db/accounts/accounts.ts'
import { listDifferences, listMischarged } from '../db/accounts/ledger.ts'
import { connect } from '../db/connection/connect.ts'
import { accept } from './accept.ts'
import { claim } from './claim.ts'
import { find } from './find.ts'
import { retryWhileAway } from './retry-while-away.ts'
import { settle } from './settle.ts'

const database = await sharedDatabase()
const { sql } = database

test('if the response to a commit of several completions is lost, the worker charges, counts, and reports each once [requests.states.3]', {
  timeout: 120_000,
}, async () => {
  await using way = await openCuttableDatabase(database.url)
  const lossy = connect(way.url, { connections: 1, applicationName: 'test' })
  const account = await openAccount(sql)
  const worker = await aliveWorker(sql)
  const taken = await Array.fromAsync({ length: 6 }, async () => {
    const { id } = await accept(sql, acceptable(account.id))
    const found = await claim(sql, worker, 'image', [])
    assert.equal(found?.request.id, id)
    return found
  })
  // The first completion runs alone. The other five share the next statement, whose response gets lost.
  way.loseResponseTo(new RegExp(`\\{"?${taken[1]?.lease.id}"?,`))
  let lost = 0
  const retryOptions = { signal: new AbortController().signal, onAway: () => (lost += 1) }
  const ends = await Promise.all(
    taken.map(({ lease }, nth) => {
      const mine = nth === 3 ? { ...lease, attempt: 2 } : lease
      return retryWhileAway(() => settle(lossy, mine, succeeded(1_000), RETENTION_MS), retryOptions)
    }),
  )
  await lossy.end({ timeout: 1 })
  assert.equal(lost, 5)
  assert.deepEqual(
    ends.map((end) => end?.status),
    ['succeeded', ...Array.from({ length: 5 }, () => undefined)],
  )
  const fenced = taken[3]
  assert.ok(fenced)
  assert.equal((await find(sql, account.id, fenced.request.id)).status, 'processing', 'it is another attempt’s')
  const row = await findAccount(sql, account.id)
  assert.deepEqual([row?.balance, row?.openLive], [1_000_000 - 5_000, 1])
  const [counted] = await sql`
    select (select count(*)::int from events where account_id = ${account.id}) as events,
      (select sum(succeeded)::int from usage_days where account_id = ${account.id} and scope = '*') as succeeded`
  assert.deepEqual({ ...counted }, { events: 5, succeeded: 5 })
  assert.deepEqual([...(await listDifferences(sql)), ...(await listMischarged(sql))], [])
  assert.ok(await settle(sql, fenced.lease, succeeded(), RETENTION_MS))
})
