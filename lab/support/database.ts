import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import type { Sql } from '@mediamill/server/db/connection/connect'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import { shared } from './shared.ts'

export type TestDatabase = AsyncDisposable & { url: string; sql: Sql }

/** The checkout. Each has its own test server, because PostgreSQL runs programs of the checkout that started it. */
const CHECKOUT = createHash('sha256')
  .update(import.meta.dirname)
  .digest('hex')
  .slice(0, 8)
const FOLDER = join(tmpdir(), `mediamill-test-${process.getuid?.() ?? 0}-${CHECKOUT}`)
const LOCK = 7_204_662

/** Creates a database from a template. A checkout's test files share one server: embedded, or `TEST_DATABASE_URL`. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = await openServer()
  const admin = connect(server.url, { connections: 1, applicationName: 'test' })
  const template = await ensureTemplate(admin, server.url)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  // With `file_copy`, PostgreSQL does not write the content to the WAL.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`)
  const url = urlOf(server.url, name)
  const sql = connect(url, { connections: 10, applicationName: 'test' })
  return {
    url,
    sql,
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 5 })
      await admin.unsafe(`drop database if exists ${name} with (force)`)
      await admin.end({ timeout: 5 })
      await server[Symbol.asyncDispose]()
    },
  }
}

export const sharedDatabase = async (): Promise<TestDatabase> => shared(await createDatabase())

async function openServer(): Promise<AsyncDisposable & { url: string }> {
  const url = process.env['TEST_DATABASE_URL']
  if (url === undefined) return await startEmbedded(FOLDER, { log: () => undefined, temporary: true })
  return { url, [Symbol.asyncDispose]: async () => undefined }
}

/** Creates the template database if it is missing. Returns its name, a hash of all migrations. */
async function ensureTemplate(admin: Sql, serverUrl: string): Promise<string> {
  const template = `template_${await migrationsHash()}`
  return await admin.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    const [found] = await tx`select 1 from pg_database where datname = ${template}`
    if (found === undefined) await makeTemplate(serverUrl, template)
    return template
  })
}

async function makeTemplate(serverUrl: string, template: string): Promise<void> {
  const maker = connect(serverUrl, { connections: 1, applicationName: 'test template' })
  const draft = `${template}_draft`
  await maker.unsafe(`drop database if exists ${draft} with (force)`)
  await maker.unsafe(`create database ${draft}`)
  await migrate(urlOf(serverUrl, draft))
  await maker.unsafe(`alter database ${draft} rename to ${template}`)
  await maker.end({ timeout: 5 })
}

async function migrationsHash(): Promise<string> {
  const folder = new URL('../../packages/server/migrations/', import.meta.url)
  const hash = createHash('sha256')
  for (const file of (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.sql')).sort())
    hash.update(file).update(await readFile(new URL(file, folder)))
  return hash.digest('hex').slice(0, 16)
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
