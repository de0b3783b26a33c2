import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { LINKS } from '@mediamill/lab/support/deliveries'
import { acceptable, aliveWorker, openAccount, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { accept } from '../requests/accept.ts'
import { claim } from '../requests/claim.ts'
import { present } from '../requests/present.ts'
import { settle } from '../requests/settle.ts'
import { checkOwnSources, findStoredSource } from './stored-source.ts'

const { sql } = await sharedDatabase()

async function resultOf(accountId: number): Promise<string> {
  await accept(sql, acceptable(accountId))
  const taken = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(taken)
  const ended = await settle(sql, taken.lease, succeeded(), RETENTION_MS)
  assert.ok(ended)
  const body = present(ended, LINKS)
  return body.status === 'succeeded' ? (body.result.files[0]?.url ?? assert.fail()) : assert.fail()
}

test('a result link is a valid source for the account of the result, in both modes, and for no other account [sources.own_results.1]', async () => {
  const [own, other] = [await openAccount(sql), await openAccount(sql)]
  const url = await resultOf(own.id)
  for (const livemode of [true, false]) {
    const owner = { accountId: own.id, livemode }
    assert.deepEqual(await findStoredSource(sql, LINKS, owner, url), [{ key: `${'0'.repeat(40)}.jpg`, size: 10 }])
    assert.deepEqual([...(await checkOwnSources(sql, LINKS, owner, [url])).values()], [{ ok: true }])
  }
  const stranger = { accountId: other.id, livemode: true }
  assert.equal(await findStoredSource(sql, LINKS, stranger, url), undefined)
  assert.deepEqual([...(await checkOwnSources(sql, LINKS, stranger, [url])).values()], [])
})
