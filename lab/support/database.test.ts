import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sharedDatabase } from './database.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('the test database does not run programs of another checkout, which may be deleted', {
  skip: process.env['TEST_DATABASE_URL'] !== undefined,
}, async () => {
  const { sql, url } = await sharedDatabase()
  const [found] = await sql<{ folder: string }[]>`select setting as folder from pg_config where name = 'BINDIR'`
  // PostgreSQL runs from a copy next to its data if its user cannot read the checkout.
  const data = (new URL(url).searchParams.get('host') ?? '').replace(/run$/, '')
  assert.ok(
    [ROOT, data].some((own) => found?.folder.startsWith(own)),
    found?.folder,
  )
})
