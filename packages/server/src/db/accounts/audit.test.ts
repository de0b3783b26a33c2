import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { insertAudit, listAudit } from './audit.ts'

const { sql } = await sharedDatabase()

test('the audit log lists changes newest first in pages, for one account or for all accounts [console.audit.1]', async () => {
  const [one, other] = [await openAccount(sql), await openAccount(sql)]
  const note = (accountId: number, subject: string) =>
    insertAudit(sql, { accountId, sessionId: null, actor: 'command', action: 'key.created', subject, detail: {} })
  for (const subject of ['first', 'second', 'third']) await note(one.id, subject)
  await note(other.id, 'of another')
  const page = async (accountId: number | null, before: number | null, limit = 2) =>
    await listAudit(sql, { accountId, before, limit })
  const subjects = (rows: { subject: string | null }[]) => rows.map(({ subject }) => subject)
  const newest = await page(one.id, null)
  assert.deepEqual(subjects(newest), ['third', 'second'])
  assert.deepEqual(subjects(await page(one.id, newest.at(-1)?.id ?? 0)), ['first'])
  assert.deepEqual(subjects(await page(null, null, 3)), ['of another', 'third', 'second'])
})
