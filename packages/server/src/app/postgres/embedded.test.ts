import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { naming } from '@mediamill/lab/support/message'
import { listens, until } from '@mediamill/lab/support/process'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { connect } from '../../db/connection/connect.ts'
import { startEmbedded } from './embedded.ts'
import { takeLock } from './lock.ts'
import { postgresSocket } from './paths.ts'

const quiet = { log: () => undefined }

const folder = await sharedFolder('mediamill-embedded-')

const socketFolderOf = (url: string) => new URL(url).searchParams.get('host') ?? ''

const open = (url: string) => connect(url, { connections: 1, applicationName: 'test' })

const isListening = (url: string) => listens(postgresSocket(socketFolderOf(url)))

/** Starts a process that uses the embedded database of a folder, until the test closes its standard input. */
async function startHolder(dataDir: string): Promise<{ child: ChildProcess; url: string; adopted: boolean }> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)}
    const held = await startEmbedded(${JSON.stringify(dataDir)}, { log: () => undefined })
    console.log(JSON.stringify({ url: held.url, adopted: held.adopted }))
    process.stdin.resume().on('end', () => held[Symbol.asyncDispose]())`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { child, ...(JSON.parse(line) as { url: string; adopted: boolean }) }
}

async function serverOf(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number(text.split('\n')[0])
}

async function parentOf(pid: number): Promise<number> {
  return Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])
}

describe('the embedded PostgreSQL', { concurrency: false }, () => {
  test('the embedded PostgreSQL uses UTF-8, sorts text by bytes, has data checksums and no TCP port, and stops when its only process stops', async () => {
    const held = await startEmbedded(join(folder, 'one'), quiet)
    const sql = open(held.url)
    const [row] = await sql`
      select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding,
        current_setting('data_checksums') as checksums, current_setting('listen_addresses') as addresses, 'Z' < 'a' as bytes`
    await sql.end()
    assert.deepEqual({ ...row }, { major: 18, encoding: 'UTF8', checksums: 'on', addresses: '', bytes: true })
    assert.equal(held.adopted, false)
    await held[Symbol.asyncDispose]()
    assert.equal(await isListening(held.url), false)
  })

  test('the embedded PostgreSQL is shared with a second process, and stops when the last process stops', async () => {
    const first = await startHolder(join(folder, 'one'))
    const second = await startEmbedded(join(folder, 'one'), quiet)
    assert.deepEqual([first.adopted, second.adopted, second.url], [false, true, first.url])
    first.child.stdin?.end()
    await once(first.child, 'exit')
    assert.equal(await isListening(second.url), true)
    await second[Symbol.asyncDispose]()
    assert.equal(await isListening(second.url), false)
  })

  test('the embedded PostgreSQL starts only once if many processes start it at the same time', async () => {
    const holders = await Promise.all(Array.from({ length: 3 }, () => startHolder(join(folder, 'many'))))
    const servers = await Promise.all(
      holders.map(async ({ url }) => {
        const sql = open(url)
        const [row] = await sql`select pg_postmaster_start_time()::text as started`
        await sql.end()
        return row?.started as string
      }),
    )
    assert.equal(new Set(servers).size, 1)
    for (const { child } of holders) child.stdin?.end()
    await Promise.all(holders.map(({ child }) => once(child, 'exit')))
    await until(async () => !(await isListening(holders[0]?.url ?? '')))
  })

  test('the embedded PostgreSQL stops when its process is killed, and keeps every committed row', async () => {
    const dataDir = join(folder, 'one')
    const holder = await startHolder(dataDir)
    const sql = open(holder.url)
    await sql`create table kept (id int)`
    await sql`insert into kept values (1)`
    await sql.end()
    holder.child.kill('SIGKILL')
    await until(async () => !(await isListening(holder.url)))
    const held = await startEmbedded(dataDir, quiet)
    const again = open(held.url)
    assert.equal((await again`select id from kept`).length, 1)
    await again.end()
    await held[Symbol.asyncDispose]()
  })

  test('the embedded PostgreSQL stops if its supervisor and all its processes are killed', {
    skip: process.platform !== 'linux',
  }, async () => {
    const dataDir = join(folder, 'one')
    const holder = await startHolder(dataDir)
    const server = await serverOf(dataDir)
    assert.ok(server !== undefined)
    const supervisor = await parentOf(server)
    holder.child.kill('SIGKILL')
    process.kill(supervisor, 'SIGKILL')
    await until(async () => !(await isListening(holder.url)))
  })

  test('the embedded PostgreSQL restarts if its server process is killed while other processes use it', async () => {
    const dataDir = join(folder, 'one')
    await using held = await startEmbedded(dataDir, quiet)
    const server = await serverOf(dataDir)
    assert.ok(server !== undefined)
    process.kill(server, 'SIGKILL')
    const sql = open(held.url)
    const query = () =>
      sql`select 1 as one`.then(
        (rows) => rows.length === 1,
        () => false,
      )
    await until(async () => (await serverOf(dataDir)) !== server && (await query()))
    await sql.end()
  })

  test('the embedded PostgreSQL runs from a data folder with a path that is too long for a Unix socket', async () => {
    await using held = await startEmbedded(join(folder, 'x'.repeat(100)), quiet)
    const sql = open(held.url)
    assert.equal((await sql`select 1 as one`).length, 1)
    await sql.end()
  })

  test('the embedded PostgreSQL runs as root in a folder that other users cannot enter', {
    skip: process.getuid?.() !== 0,
  }, async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o700 })
    await using held = await startEmbedded(join(closed, 'data'), quiet)
    const sql = open(held.url)
    assert.equal((await sql`select 1 as one`).length, 1)
    await sql.end()
  })

  test('the embedded PostgreSQL leaves no files behind if its data folder is temporary', async () => {
    const dataDir = join(folder, 'temporary')
    const held = await startEmbedded(dataDir, { ...quiet, temporary: true })
    await held[Symbol.asyncDispose]()
    await until(async () => !existsSync(dataDir))
    assert.equal(await isListening(held.url), false)
  })

  test('the embedded PostgreSQL rejects a data folder of another major version with a one-line error that names both versions', async () => {
    const dataDir = join(folder, 'old')
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true })
    await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n')
    await assert.rejects(startEmbedded(dataDir, quiet), (error: unknown) => {
      assert.ok(error instanceof OperatorError)
      assert.match(error.message, /^.*PostgreSQL 17, and this version includes 18.*$/)
      return true
    })
  })

  test('the embedded PostgreSQL rejects a data folder that it cannot create with a one-line error that has the path', async () => {
    await writeFile(join(folder, 'file'), '')
    await assert.rejects(startEmbedded(join(folder, 'file', 'data'), quiet), {
      name: 'OperatorError',
      message: naming(join(folder, 'file', 'data'), 'EEXIST', 'DATA_DIR'),
    })
  })
})

test('only one process at a time can hold a lock file of the embedded PostgreSQL, until the process exits or is killed', async () => {
  const file = join(folder, 'lock')
  const code = `
    import { takeLock } from ${JSON.stringify(new URL('./lock.ts', import.meta.url).href)}
    const taken = takeLock(${JSON.stringify(file)}) !== undefined
    gc()
    console.log(taken)
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  assert.equal(line, 'true')
  assert.equal(takeLock(file), undefined)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = takeLock(file)
  assert.notEqual(lock, undefined)
  lock?.[Symbol.dispose]()
})
