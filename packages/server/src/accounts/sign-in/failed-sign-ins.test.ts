import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { FailedSignIns } from './failed-sign-ins.ts'

const { sql } = await sharedDatabase()

test('writing failed sign-ins to the audit log adds one row per client, at most 51 rows, and counts no sign-in twice [console.audit.2]', async () => {
  const failed = new FailedSignIns()
  for (let nth = 0; nth < 300; nth += 1) failed.note('192.0.2.1', nth % 3 === 0 ? 'key' : 'link')
  for (let nth = 0; nth < 200; nth += 1) failed.note(`2001:db8:0:${nth.toString(16)}::/64`, 'link')
  await failed.flush(sql)
  await failed.flush(sql)
  const rows = await sql<{ client: string | null; action: string; detail: unknown }[]>`
    select client, action, detail from audit order by id`
  assert.equal(rows.length, 51)
  assert.deepEqual(rows[0], { client: '192.0.2.1', action: 'sign_in.failed', detail: { links: 200, keys: 100 } })
  assert.deepEqual(rows.at(-1), { client: null, action: 'sign_in.failed', detail: { links: 151, keys: 0 } })
})
