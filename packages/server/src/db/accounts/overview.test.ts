import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { countFailures } from './overview.ts'

const { sql } = await sharedDatabase()

test('the overview counts the failures of the last 30 days by code, in one mode or both', async () => {
  const account = await openAccount(sql)
  for (const [code, days, livemode] of [
    ['unsupported_media', 29, true],
    ['unsupported_media', 0, false],
    ['source_unreachable', 0, true],
    ['processing_failed', 31, true],
  ] as const) {
    await sql`
      insert into requests (account_id, livemode, endpoint, lane, status, source, input, turn, created_at, completed_at, error)
      values (${account.id}, ${livemode}, 'images/read', 'image', 'failed', 'https://example.com/a.jpg', '{}', now(),
        now() - ${days} * interval '1 day', now(), ${JSON.stringify({ code, message: 'No.' })})`
  }
  assert.deepEqual(await countFailures(sql, account.id, null), [
    { code: 'unsupported_media', requests: 2 },
    { code: 'source_unreachable', requests: 1 },
  ])
  assert.deepEqual(await countFailures(sql, account.id, true), [
    { code: 'source_unreachable', requests: 1 },
    { code: 'unsupported_media', requests: 1 },
  ])
})
