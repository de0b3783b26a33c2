import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { createDatabase } from '@mediamill/lab/support/database'
import { schemaOf } from '@mediamill/lab/support/schema'
import type { Release } from '../../../scripts/release/migrations.ts'
import { checksumOf } from '../../../scripts/release/migrations.ts'
import type { Sql } from '../src/db/connection/connect.ts'
import { migrate } from '../src/db/migrate.ts'

const MIGRATIONS = join(import.meta.dirname, '../migrations')
const releases = JSON.parse(await readFile(join(import.meta.dirname, 'releases.json'), 'utf8')) as Release[]

async function emptied(sql: Sql): Promise<void> {
  await sql`drop schema public cascade`
  await sql`create schema public`
}

for (const { name, migrations } of releases) {
  test(`the migrations of release ${name} are unchanged`, async () => {
    for (const [file, checksum] of Object.entries(migrations))
      assert.equal(checksumOf(await readFile(join(MIGRATIONS, file), 'utf8')), checksum, file)
  })

  test(`a database of release ${name} migrates to the same schema as a new database`, async (t) => {
    await using fresh = await createDatabase()
    await using old = await createDatabase()
    await emptied(old.sql)
    const folder = await mkdtemp(join(tmpdir(), 'mediamill-release-'))
    t.after(() => rm(folder, { recursive: true }))
    for (const file of Object.keys(migrations)) await copyFile(join(MIGRATIONS, file), join(folder, file))
    const then = await migrate(old.url, pathToFileURL(`${folder}/`))
    assert.deepEqual(then, Object.keys(migrations))
    await migrate(old.url)
    assert.deepEqual(await schemaOf(old.sql), await schemaOf(fresh.sql))
  })
}

test('a migration that databases applied between two releases is unchanged', async () => {
  const text = await readFile(join(MIGRATIONS, '0085_stored_results.sql'), 'utf8')
  assert.equal(checksumOf(text), 'bbc915859c7d00090ea0459202005eca03f7701352bf577dd20959987c4ea18a')
})
