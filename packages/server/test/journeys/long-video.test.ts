import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { SECRET_KEY } from '@mediamill/lab/support/line'
import { until } from '@mediamill/lab/support/process'
import type { RoleProcess } from '@mediamill/lab/support/role-process'
import { startRole } from '@mediamill/lab/support/role-process'
import type { Json } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import type { Paint } from '@mediamill/lab/support/video-clip'
import { makeClip } from '@mediamill/lab/support/video-clip'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { sweepOrphans } from '../../src/requests/tidy/sweep-orphans.ts'
import { openDiskStore } from '../../src/store/disk.ts'

const SECONDS = 16
const RATE = 25
const MEGABYTE = 1_000_000
const sources = await startSourceServer()
const service = await startService({ allowed: [sources.host], workers: false, credit: microUsd(10 * MEGABYTE) })
const folder = await mkdtemp(join(tmpdir(), 'mediamill-long-'))
/** Workers that were started. One that a failed test leaves would keep this process alive. */
const started = new Set<RoleProcess>()
after(async () => {
  for (const worker of started) await worker[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  await sources[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** A grey that tells each frame from those around it, and those a second away. */
const paint: Paint = (_x, _y, index) => {
  const level = 20 + 8 * (index % 27)
  return [level, level, level]
}

before(async () => {
  const path = join(folder, 'clip.mp4')
  const drawn = { width: 320, height: 180, frames: SECONDS * RATE, rate: RATE, sound: ['aac'], paint }
  await makeClip(path, { container: 'mp4', ...drawn, encoder: { g: String(RATE), preset: 'ultrafast' } })
  sources.files.set('/clip.mp4', await readFile(path))
})

const settings = {
  DATABASE_URL: service.databaseUrl,
  SECRET_KEY,
  DATA_DIR: service.dataDir,
  ALLOWED_PRIVATE_HOSTS: sources.host,
  WORKER_CONCURRENCY: '1',
  VIDEO_SPLIT_THRESHOLD: '6s',
}
async function startWorker(differing: Partial<typeof settings> = {}): Promise<RoleProcess> {
  const worker = await startRole('worker', { ...settings, ...differing })
  started.add(worker)
  return worker
}
const startWorkers = async (count: number): Promise<RoleProcess[]> =>
  await Promise.all(Array.from({ length: count }, () => startWorker()))

const operations = [{ type: 'resize', width: 160, height: 90 }]
const call = async (): Promise<number> => {
  const body = { source: sources.url('/clip.mp4'), operations }
  return (await service.call('POST', '/v1/videos/process', { body })).body.id
}

type PartRow = { number: number; worker: string | null; attempt: number; done: boolean }
const partsOf = async (id: number) =>
  await service.sql<PartRow[]>`
    select number, worker_id as worker, attempt, key is not null as done from video_parts
    where request_id = ${id} order by number`

/** Waits until a request's parts are as wanted, and returns them. */
async function partsWhen(id: number, wanted: (parts: readonly PartRow[]) => boolean): Promise<readonly PartRow[]> {
  let parts: readonly PartRow[] = []
  await until(async () => {
    parts = await partsOf(id)
    const { status } = (await service.call('GET', `/v1/requests/${id}`)).body
    assert.ok(status === 'queued' || status === 'processing', `it has ${status}`)
    return parts.length > 0 && wanted(parts)
  })
  return parts
}

/** The worker that holds a request, and the process that it is: started in the order of `workers`. */
async function holderOf(id: number): Promise<string> {
  const [row] = await service.sql<
    { worker: string }[]
  >`select coalesce(worker_id::text, '') as worker from requests where id = ${id}`
  return row?.worker ?? ''
}

/** A worker's process, by who holds something: one after the other is started, so that each is known by its name. */
async function startNamed(count: number): Promise<Map<string, RoleProcess>> {
  const named = new Map<string, RoleProcess>()
  for (let index = 0; index < count; index += 1) {
    const process = await startWorker()
    const rows = await service.sql<
      { id: string }[]
    >`select id from workers where seen_at > now() - interval '8 seconds'`
    for (const { id } of rows) if (!named.has(id)) named.set(id, process)
  }
  return named
}

async function endAll(workers: Iterable<RoleProcess>): Promise<void> {
  for (const worker of new Set(workers)) await worker[Symbol.asyncDispose]()
  await service.sql`delete from workers`
}

/** Waits until a request has parts, or has none in the end. */
async function isPlanned(id: number): Promise<boolean> {
  for (;;) {
    if ((await partsOf(id)).length > 0) return true
    const { status } = (await service.call('GET', `/v1/requests/${id}`)).body
    if (status !== 'queued' && status !== 'processing') return false
  }
}

/**
 * Holds a result against its source: every frame once and in order, sound, one charge, and nothing left of parts.
 *
 * A worker that was killed between the file of a part and its row leaves an orphan, which is swept a day later.
 */
async function checkResult(request: Json, { wasKilled = false } = {}): Promise<void> {
  assert.equal(request.status, 'succeeded', JSON.stringify(request.error))
  const { data, files } = request.result
  assert.deepEqual([data.width, data.height, data.codec, data.audio_codec], [160, 90, 'h264', 'aac'])
  assert.ok(Math.abs(data.duration - SECONDS) < 0.1, `${data.duration} s`)
  const file = join(folder, `result-${request.id}.mp4`)
  const link = await fetch(files[0].url)
  await writeFile(file, Buffer.from(await link.arrayBuffer()))
  const source = join(folder, 'clip.mp4')
  const [made, drawn] = [await levelsOf(file), await levelsOf(source)]
  assert.equal(made.length, SECONDS * RATE)
  made.forEach((level, index) => assert.ok(Math.abs(level - (drawn[index] ?? -100)) < 6, `frame ${index}: ${level}`))
  const charges = await service.sql<{ amount: number }[]>`select amount from ledger where request_id = ${request.id}`
  assert.deepEqual(
    charges.map(({ amount }) => amount),
    [-20_000],
  )
  await until(async () => (await service.sql`select from part_plans`).count === 0)
  const store = await openDiskStore(join(service.dataDir, 'results'))
  const aDayLater = new Date(Date.now() + 60_000)
  if (wasKilled) await sweepOrphans(service.sql, store, aDayLater)
  const keys = await Array.fromAsync(store.keys(aDayLater))
  const kept = await service.sql<{ key: string }[]>`
    select file ->> 'key' as key from requests, json_array_elements(files) file where files is not null`
  assert.deepEqual(keys.toSorted(), kept.map(({ key }) => key).toSorted(), 'no file of a part is left')
}

/** The grey of the middle of each frame. */
async function levelsOf(path: string): Promise<number[]> {
  return (await framesOf(path)).map((frame) => frame.at(80, 45)[0])
}

test('a long video is made in parts by two workers, as in one piece, with a progress that only grows [2.1, 4.2]', async () => {
  const workers = await startWorkers(2)
  const id = await call()
  const seen = new Set<string>()
  const progress: number[] = []
  let count = 0
  await until(async () => {
    const parts = await partsOf(id)
    count = Math.max(count, parts.length)
    for (const { worker } of parts) if (worker !== null) seen.add(worker)
    const { body } = await service.call('GET', `/v1/requests/${id}`)
    if (body.status === 'processing') progress.push(body.progress)
    return body.status !== 'queued' && body.status !== 'processing'
  })
  assert.ok(count >= 10, `${count} parts`)
  assert.equal(seen.size, 2, 'both have made parts')
  assert.deepEqual(
    progress,
    progress.toSorted((one, other) => one - other),
  )
  // It is told twice a second, and the whole may take no longer than two.
  assert.ok((progress.at(-1) ?? 0) > 0, progress.join())
  await checkResult((await service.call('GET', `/v1/requests/${id}`)).body)
  await endAll(workers)
})

test('a worker that is killed costs its part and no more: the video keeps its first attempt [rulings 7]', async () => {
  const workers = await startNamed(3)
  const id = await call()
  const holder = await partsWhen(id, (parts) => parts.some(({ worker }) => worker !== null)).then(() => holderOf(id))
  const parts = await partsWhen(id, (rows) => rows.some(({ worker }) => worker !== null && worker !== holder))
  const lost = parts.find(({ worker }) => worker !== null && worker !== holder)
  await workers.get(lost?.worker ?? '')?.kill()
  await service.sql`update workers set seen_at = now() - interval '1 minute' where id = ${lost?.worker ?? ''}`
  await partsWhen(id, (rows) => rows.some(({ attempt }) => attempt === 2))
  const request = await service.settled(id)
  await checkResult(request, { wasKilled: true })
  const [row] = await service.sql`select attempt from requests where id = ${id}`
  assert.equal(row?.['attempt'], 1)
  await endAll(workers.values())
})

test('when the worker that waits for the parts is killed another goes on with those that are made [rulings 7]', async () => {
  const workers = await startNamed(3)
  const id = await call()
  await partsWhen(id, (rows) => rows.filter(({ done }) => done).length >= 3)
  const holder = await holderOf(id)
  await workers.get(holder)?.kill()
  const before = (await partsOf(id)).filter(({ done }) => done).map(({ number, attempt }) => ({ number, attempt }))
  await service.sql`update workers set seen_at = now() - interval '1 minute' where id = ${holder}`
  await until(async () => (await holderOf(id)) !== holder)
  const request = await service.settled(id)
  assert.ok(before.length >= 3)
  await checkResult(request, { wasKilled: true })
  const [row] = await service.sql`select attempt from requests where id = ${id}`
  assert.equal(row?.['attempt'], 2)
  await endAll(workers.values())
})

/** What lies below a folder. One that goes while it is read is read again. */
async function filesBelow(folder: string): Promise<string[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      if (!existsSync(folder)) return []
    }
  }
}

test('an abort ends all parts of a video on every worker, and nothing of them is left [3, rulings 7]', async () => {
  const workers = await startWorkers(3)
  const id = await call()
  await partsWhen(
    id,
    (rows) => rows.filter(({ worker }) => worker !== null).length >= 2 && rows.some(({ done }) => done),
  )
  assert.equal((await service.call('POST', `/v1/requests/${id}/abort`)).body.status, 'aborted')
  // Every job has a folder of its own while it runs.
  const scratch = join(service.dataDir, 'scratch')
  const jobs = async () =>
    (await Promise.all((await readdir(scratch)).map((own) => filesBelow(join(scratch, own))))).flat()
  await until(async () => !(await jobs()).some((name) => name.includes('source')))
  await until(async () => (await service.sql`select from part_plans`).count === 0)
  const store = await openDiskStore(join(service.dataDir, 'results'))
  await until(async () => {
    const keys = await Array.fromAsync(store.keys(new Date(Date.now() + 60_000)))
    return keys.every((key) => Number.parseInt(key.slice(26, 40), 16) !== id)
  })
  await endAll(workers)
})

test('a link that is over before the parts are read lets the video go in one piece, from what was read at first [rulings 9]', async () => {
  const workers = await startWorkers(2)
  const clip = sources.files.get('/clip.mp4')
  assert.ok(Buffer.isBuffer(clip))
  let refused = 0
  // Small enough to come whole with the first call.
  sources.files.set('/signed.mp4', (incoming, answer) => {
    if (sources.calls.filter(({ path }) => path === '/signed.mp4').length > 1) {
      refused += 1
      return void answer.writeHead(403).end()
    }
    assert.match(incoming.headers.range ?? '', /^bytes=0-/)
    const range = { 'content-range': `bytes 0-${clip.length - 1}/${clip.length}`, 'content-length': clip.length }
    answer.writeHead(206, { etag: '"1"', ...range }).end(clip)
  })
  const source = sources.url('/signed.mp4')
  const request = await service.finish('/v1/videos/process', { source, operations })
  assert.ok(refused > 0, 'parts were tried')
  await checkResult(request)
  const [row] = await service.sql`select attempt from requests where id = ${request.id}`
  assert.equal(row?.['attempt'], 1)
  await endAll(workers)
})

test('a worker that makes no parts leaves them to others, and makes what it takes over in one piece', async () => {
  const workers = await startNamed(2)
  const older = await startWorker({ VIDEO_SPLIT_THRESHOLD: 'off' })
  let id: number
  // It claims videos like every other: one that a worker with parts has is wanted. One whose fleet seemed to be silent at
  // that moment, on a machine that is busy, goes in one piece.
  for (;;) {
    id = await call()
    if (await isPlanned(id)) break
    await service.settled(id)
  }
  await partsWhen(id, (rows) => rows.some(({ done }) => done))
  for (const worker of new Set(workers.values())) await worker.kill()
  await service.sql`update workers set seen_at = now() - interval '1 minute' where video_places is not null`
  const request = await service.settled(id)
  await checkResult(request, { wasKilled: true })
  await endAll([...workers.values(), older])
})
