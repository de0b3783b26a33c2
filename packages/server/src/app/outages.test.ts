import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { connect } from '../db/connection/connect.ts'
import { openDiskStore } from '../store/disk.ts'
import { newUploadKey } from '../store/store.ts'
import { watchDisk } from './disk-space.ts'
import { watchDatabase, watchStore } from './outages.ts'

function openLog() {
  const lines: string[] = []
  return { lines, log: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) }) }
}

function openPool(t: TestContext, url: string) {
  const { lines, log } = openLog()
  const closing = new AbortController()
  const { isReady, onFailure } = watchDatabase(() => sql, log, closing.signal)
  const sql = connect(url, { connections: 2, applicationName: 'test', onFailure })
  t.after(async () => {
    closing.abort()
    await sql.end({ timeout: 1 })
  })
  return { sql, lines, isReady }
}

test('/readyz fails while the database is read-only, until it accepts writes again [operator.health.1]', {
  timeout: 60_000,
}, async (t) => {
  await using database = await createDatabase()
  const name = new URL(database.url).pathname.slice(1)
  const before = openPool(t, database.url)
  assert.deepEqual([await before.isReady(), before.lines], [true, []])
  await database.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  const { sql, lines, isReady } = openPool(t, database.url)
  assert.equal(await isReady(), false)
  await assert.rejects(async () => await sql`delete from accounts`, { code: '25006' })
  assert.equal(await isReady(), false)
  assert.deepEqual(lines, ['database unavailable'])
  await database.sql.begin(async (tx) => {
    await tx`set transaction read write`
    await tx.unsafe(`alter database ${name} reset default_transaction_read_only`)
  })
  await until(isReady)
  assert.deepEqual(lines, ['database unavailable', 'database available again'])
})

test("/readyz fails while the database's disk is full, until there is space [operator.health.1]", {
  timeout: 60_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-full-database-'))
  t.after(async () => {
    spawnSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true, force: true })
  })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]).status !== 0)
    return t.skip('this account cannot mount a disk')
  await using database = await createDatabase()
  const [server] = await database.sql<{ folder: string }[]>`select current_setting('data_directory') as folder`
  const owner = await stat(server?.folder ?? '')
  await chown(folder, owner.uid, owner.gid)
  const space = `space_${Date.now()}`
  await database.sql.unsafe(`create tablespace ${space} location '${folder}'`)
  await database.sql.unsafe(`create database ${space} tablespace ${space}`)
  const url = new URL(database.url)
  url.pathname = `/${space}`
  const { sql, lines, isReady } = openPool(t, url.href)
  await sql`create table migrations (name text)`
  assert.equal(await isReady(), true)
  await assert.rejects(writeFile(join(folder, 'filler'), Buffer.alloc(64 * 1024 * 1024)), { code: 'ENOSPC' })
  await assert.rejects(
    async () => await sql`insert into migrations select repeat('x', 1000) from generate_series(1, 100)`,
    {
      code: '53100',
    },
  )
  assert.equal(await isReady(), false)
  await rm(join(folder, 'filler'))
  await until(isReady)
  assert.deepEqual(lines, ['database unavailable', 'database available again'])
  await sql.end({ timeout: 1 })
  await database.sql.unsafe(`drop database ${space} with (force)`)
  await database.sql.unsafe(`drop tablespace ${space}`)
})

test('a process logs one line when the store becomes unavailable and one line when the store recovers, and logs no line for an interrupted upload body', {
  timeout: 60_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-store-away-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { lines, log } = openLog()
  const closing = new AbortController()
  t.after(() => closing.abort())
  const store = watchStore(new Registry(), await openDiskStore(join(folder, 'results')), log, closing.signal)
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('some')
      throw new Error('the client is gone')
    })(),
  )
  await assert.rejects(store.write(newUploadKey(), broken), /the client is gone/)
  assert.deepEqual(lines, [])
  await rename(join(folder, 'results'), join(folder, 'away'))
  for (let call = 0; call < 3; call += 1) {
    await assert.rejects(store.write(newUploadKey(), Readable.from([Buffer.from('some')])))
    await assert.rejects(store.check())
  }
  assert.deepEqual(lines, ['store unavailable'])
  await rename(join(folder, 'away'), join(folder, 'results'))
  await until(async () => lines.length === 2)
  assert.deepEqual(lines, ['store unavailable', 'store available again'])
})

test('a store that rejects its trial writes for 5 s counts as unavailable until the store accepts a write again [operator.health.1]', {
  timeout: 60_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-read-only-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const { log } = openLog()
  const closing = new AbortController()
  t.after(() => closing.abort())
  const disk = await openDiskStore(folder)
  const limits = { trialMs: 50, writesFailMs: 5_000 }
  const store = watchStore(new Registry(), disk, log, closing.signal, limits)
  const incoming = join(folder, 'incoming')
  await rm(incoming, { recursive: true })
  await writeFile(incoming, '')
  const startedAt = performance.now()
  await until(async () => {
    const isRejected = await store.check().then(
      () => false,
      (error: Error) => /rejects writes/.test(error.message),
    )
    return isRejected
  })
  const seconds = (performance.now() - startedAt) / 1_000
  assert.ok(seconds >= 5 && seconds < 20, `${seconds} s`)
  await rm(incoming)
  await mkdir(incoming)
  await until(async () => (await store.check().catch((error: unknown) => error)) === undefined)
})

test('the disk of DATA_DIR counts as full while it is read-only, unless the disk was already read-only at the start of the process', {
  timeout: 60_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-read-only-'))
  t.after(() => {
    spawnSync('umount', ['--lazy', folder])
    return rm(folder, { recursive: true, force: true })
  })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=100m', 'tmpfs', folder]).status !== 0)
    return t.skip('this account cannot mount a disk')
  // The kernel rejects `ro` while the watch writes its file.
  const remount = async (how: string) =>
    await until(() => spawnSync('mount', ['-o', `remount,${how}`, folder]).status === 0)
  const closing = new AbortController()
  t.after(() => closing.abort())
  const hasSpace = watchDisk(folder, closing.signal, 10)
  await until(hasSpace)
  await remount('ro')
  await until(async () => !(await hasSpace()))
  const ofReadOnly = watchDisk(folder, closing.signal, 10)
  for (let checks = 0; checks < 20; checks += 1) {
    assert.equal(await ofReadOnly(), true)
    await delay(10)
  }
  await remount('rw')
  await until(hasSpace)
})
