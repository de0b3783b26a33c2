/**
 * Measures small image jobs while videos are processed: `node lab/bench/neighbours.ts [--jobs 150] [--clip video.mp4]
 * [--size 1920x1080] [--videos 1]`.
 *
 * Runs image jobs one by one, first alone, then during the videos. A figure is the time from acceptance to completion, by the
 * database's clock. Requires ffmpeg to make the clip. Run nothing else on the machine.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startService } from '../support/service.ts'
import { startSourceServer } from '../support/source-server.ts'
import { photograph } from './photograph.ts'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '150' },
    clip: { type: 'string' },
    size: { type: 'string', default: '1920x1080' },
    videos: { type: 'string', default: '1' },
  },
})
const POLL_MS = 10
const AT_MOST = 2.5

const folder = await mkdtemp(path.join(tmpdir(), 'mediamill-bench-'))

async function clip(): Promise<Buffer> {
  if (values.clip !== undefined) return await readFile(values.clip)
  const made = path.join(folder, 'clip.mp4')
  const picture = `testsrc2=s=${values.size}:r=30:d=60,noise=alls=8:allf=t,format=yuv420p`
  const args = ['-v', 'error', '-f', 'lavfi', '-i', picture, '-c:v', 'libx264', '-preset', 'ultrafast', made]
  const { status, stderr } = spawnSync('ffmpeg', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return await readFile(made)
}

await using sources = await startSourceServer({
  '/clip.mp4': await clip(),
  '/photo.jpg': await photograph(1024, 768).jpeg({ quality: 88 }).toBuffer(),
})
await using service = await startService({ allowed: [sources.host], settings: { LOG_LEVEL: 'error' } })

type Final = { status: string; created_at: string; completed_at: string; error?: { message: string } }

async function finish(route: string, body: object): Promise<Final> {
  const { body: accepted } = await service.call('POST', route, { body })
  for (;;) {
    const { body: now } = await service.call('GET', `/v1/requests/${accepted.id}`)
    if (now.status !== 'queued' && now.status !== 'processing') return now
    await delay(POLL_MS)
  }
}

const small = {
  source: sources.url('/photo.jpg'),
  operations: [{ type: 'resize', width: 400, height: 400 }, { type: 'grayscale' }],
}

async function latencies(): Promise<number[]> {
  const taken: number[] = []
  for (let job = 0; job < Number(values.jobs); job += 1) {
    const { status, created_at, completed_at, error } = await finish('/v1/images/process', small)
    if (status !== 'succeeded') throw new Error(error?.message)
    taken.push(Date.parse(completed_at) - Date.parse(created_at))
  }
  return taken.toSorted((a, b) => a - b)
}

const quantile = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
const say = (row: object) => process.stdout.write(`${JSON.stringify(row)}\n`)

/** Makes videos one after the other until it is stopped; the one under way is aborted. */
function makeVideos(signal: AbortSignal): Promise<number> {
  const body = {
    source: sources.url('/clip.mp4'),
    operations: [{ type: 'border', top: 20, bottom: 20, left: 20, right: 20, color: 'ff0000' }],
  }
  const line = async () => {
    let made = 0
    while (!signal.aborted) {
      const { body: accepted } = await service.call('POST', '/v1/videos/process', { body })
      for (;;) {
        const { body: now } = await service.call('GET', `/v1/requests/${accepted.id}`)
        if (now.status === 'failed') throw new Error(now.error.message)
        if (now.status === 'succeeded') break
        if (signal.aborted) {
          await service.call('POST', `/v1/requests/${accepted.id}/abort`)
          return made + (now.progress ?? 0) / 100
        }
        await delay(100)
      }
      made += 1
    }
    return made
  }
  return Promise.all(Array.from({ length: Number(values.videos) }, line)).then((made) =>
    made.reduce((sum, each) => sum + each, 0),
  )
}

await latencies()
const alone = await latencies()
const stop = new AbortController()
const startedAt = performance.now()
const making = makeVideos(stop.signal)
await delay(3000)
const beside = await latencies()
stop.abort()
const made = await making
say({
  cores: availableParallelism(),
  videos: Number(values.videos),
  jobs: beside.length,
  aloneMs: { p50: quantile(alone, 0.5), p95: quantile(alone, 0.95) },
  besideMs: { p50: quantile(beside, 0.5), p95: quantile(beside, 0.95) },
  ratio: Number((quantile(beside, 0.5) / quantile(alone, 0.5)).toFixed(2)),
  atMost: AT_MOST,
  videosMade: Number(made.toFixed(2)),
  seconds: Math.round((performance.now() - startedAt) / 1000),
})
await rm(folder, { recursive: true })
