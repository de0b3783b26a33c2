import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { microUsd } from '@mediamill/contract/domain/money'
import { until } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import type { RoleProcess } from '@mediamill/lab/support/role-process'
import { startRole } from '@mediamill/lab/support/role-process'
import type { Json } from '@mediamill/lab/support/service'
import { startService } from '@mediamill/lab/support/service'
import { sendSource, startSourceServer } from '@mediamill/lab/support/source-server'
import type { Paint } from '@mediamill/lab/support/video-clip'
import { makeClip } from '@mediamill/lab/support/video-clip'
import { framesOf } from '@mediamill/lab/support/video-frames'
import { sweepOrphans } from '../../src/requests/cleanup/sweep-orphans.ts'
import { openDiskStore } from '../../src/store/disk.ts'

const SECONDS = 16
const RATE = 25
const MEGABYTE = 1_000_000
export const sources = await startSourceServer()
export const service = await startService({ allowed: [sources.host], workers: false, credit: microUsd(10 * MEGABYTE) })
const folder = await mkdtemp(join(tmpdir(), 'mediamill-long-'))
/** The workers to stop after the tests. If a failed test left a worker running, this process would not end. */
const started = new Set<RoleProcess>()
after(async () => {
  for (const worker of started) await worker[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  await sources[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** Paints frames in gray levels. Frames that are at most a second apart have different levels. */
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

const settings: Record<string, string> = {
  DATABASE_URL: service.databaseUrl,
  SECRET_KEY,
  DATA_DIR: service.dataDir,
  ALLOWED_PRIVATE_HOSTS: sources.host,
  WORKER_CONCURRENCY: '1',
  VIDEO_SPLIT_THRESHOLD: '6s',
}
export async function startWorker(differing: Record<string, string> = {}): Promise<RoleProcess> {
  const worker = await startRole('worker', { ...settings, ...differing })
  started.add(worker)
  return worker
}
export const startWorkers = async (count: number): Promise<RoleProcess[]> =>
  await Promise.all(Array.from({ length: count }, () => startWorker()))

export const operations = [{ type: 'resize', width: 160, height: 90 }]
export const call = async (): Promise<number> => {
  const body = { source: sources.url('/clip.mp4'), operations }
  return (await service.call('POST', '/v1/videos/process', { body })).body.id
}

/** Keeps workers from claiming segments after the eighth, so that no video ends. The returned function ends this. */
export async function holdSegments({ forOthers = false } = {}): Promise<() => Promise<void>> {
  const isHolder = 'exists (select from requests r where r.id = new.request_id and r.worker_id = new.worker_id)'
  await service.sql.unsafe(`
    create or replace function hold_segment() returns trigger language plpgsql as $$ begin
      if new.number < 8 or new.worker_id is null or new.worker_id = old.worker_id then return new; end if;
      return case when ${forOthers ? isHolder : 'true'} then null else new end;
    end $$;
    create trigger hold_segments before update on video_parts for each row execute function hold_segment()`)
  return async () => void (await service.sql`drop trigger hold_segments on video_parts`)
}

/** The source server responds only to its first call, so that other workers keep the first segment that they claim. */
export function holdDownloads(): () => void {
  const clip = sources.files.get('/clip.mp4')
  assert.ok(Buffer.isBuffer(clip))
  const calls: (() => void)[] = []
  let isFirst = true
  sources.files.set('/clip.mp4', (call, response) => {
    if (isFirst) sendSource(clip, call, response)
    else calls.push(() => sendSource(clip, call, response))
    isFirst = false
  })
  return () => {
    sources.files.set('/clip.mp4', clip)
    for (const respond of calls) respond()
  }
}

export type SegmentRow = { number: number; worker: string | null; attempt: number; done: boolean }
export const segmentsOf = async (id: number) =>
  await service.sql<SegmentRow[]>`
    select number, worker_id as worker, attempt, key is not null as done from video_parts
    where request_id = ${id} order by number`

export async function segmentsWhen(
  id: number,
  wanted: (segments: readonly SegmentRow[]) => boolean,
): Promise<readonly SegmentRow[]> {
  let segments: readonly SegmentRow[] = []
  await until(async () => {
    segments = await segmentsOf(id)
    const { status } = (await service.call('GET', `/v1/requests/${id}`)).body
    assert.ok(status === 'queued' || status === 'processing', `it has ${status}`)
    return segments.length > 0 && wanted(segments)
  })
  return segments
}

export async function holderOf(id: number): Promise<string> {
  const [row] = await service.sql<
    { worker: string }[]
  >`select coalesce(worker_id::text, '') as worker from requests where id = ${id}`
  return row?.worker ?? ''
}

export async function startNamed(count: number): Promise<Map<string, RoleProcess>> {
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

export async function endAll(workers: Iterable<RoleProcess>): Promise<void> {
  for (const worker of new Set(workers)) await worker[Symbol.asyncDispose]()
  await service.sql`delete from workers`
}

export async function isPlanned(id: number): Promise<boolean> {
  let hasSegments = false
  await until(async () => {
    hasSegments = (await segmentsOf(id)).length > 0
    const { status } = (await service.call('GET', `/v1/requests/${id}`)).body
    return hasSegments || (status !== 'queued' && status !== 'processing')
  })
  return hasSegments
}

/** Checks a result. If a worker was killed while it stored a segment, a file may stay until the daily cleanup. */
export async function checkResult(request: Json, { wasKilled = false } = {}): Promise<void> {
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
  assert.deepEqual(keys.toSorted(), kept.map(({ key }) => key).toSorted(), 'no file of a segment is left')
}

async function levelsOf(path: string): Promise<number[]> {
  return (await framesOf(path)).map((frame) => frame.at(80, 45)[0])
}
