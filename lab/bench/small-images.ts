/**
 * Compares the CPU time of small images in the service, including PostgreSQL, with sharp alone: `node
 * lab/bench/small-images.ts [--rounds 5] [--jobs 100] [--clients 8]`. Linux only.
 *
 * Resizes ten images of all formats from a server on loopback to a width of 320 pixels, and polls until they are done. The
 * sides alternate. A ratio compares all processes of the service with sharp in this process. Run nothing else on the machine.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { freePort, run, until } from '../support/process.ts'
import { startFileServer } from './file-server.ts'
import { photograph } from './photograph.ts'
import { startMeter } from './process-meter.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string', default: '100' },
    clients: { type: 'string', default: '8' },
  },
})
const [rounds, jobs, clients] = [Number(values.rounds), Number(values.jobs), Number(values.clients)]
const AT_MOST = 1.4
/** As many as sharp has work for: each takes one of the four threads of libuv. */
const AT_ONCE = 4
const FIRST_POLL_MS = 10
const POLL_GROWTH = 1.3
const LAST_POLL_MS = 500

/** Parts of the service by command line. */
const PARTS: ReadonlyArray<[RegExp, string]> = [
  [/postgres|embedded-keeper/, 'postgres'],
  [/main\.ts api/, 'api'],
  [/main\.ts worker/, 'worker'],
  [/engines\/src\//, 'engines'],
]

const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
const pictures = join(folder, 'pictures')

async function makePictures(): Promise<void> {
  await mkdir(pictures)
  const made = {
    'upright.jpg': photograph(600, 450).jpeg({ quality: 88 }),
    'turned.jpg': photograph(450, 600).withMetadata({ orientation: 6 }).jpeg({ quality: 88 }),
    'flipped.jpg': photograph(600, 450).withMetadata({ orientation: 4 }).jpeg({ quality: 88 }),
    'clear.png': photograph(2048, 1536, { grain: 1 }).ensureAlpha(0.7).png(),
    'lossy.webp': photograph(1024, 772).webp(),
    'moving.webp': photograph(80, 80, { frames: 4 }).webp(),
    'moving.gif': photograph(370, 285, { frames: 3 }).gif(),
    'larger.gif': photograph(800, 533, { frames: 2 }).gif(),
    'plain.tiff': photograph(246, 345).tiff({ compression: 'none' }),
    'tiny.tiff': photograph(21, 21).greyscale().tiff({ compression: 'none' }),
  }
  for (const [name, image] of Object.entries(made)) await writeFile(join(pictures, name), await image.toBuffer())
}

/** Runs `work` for each number, `atOnce` at the same time. */
async function each(count: number, atOnce: number, work: (number: number) => Promise<void>): Promise<void> {
  const numbers = Array(count).keys()
  const line = async () => {
    for (const number of numbers) await work(number)
  }
  await Promise.all(Array.from({ length: atOnce }, line))
}

async function sharpAlone(names: readonly string[]): Promise<number> {
  const before = process.cpuUsage()
  await each(jobs, AT_ONCE, async (number) => {
    const bytes = await readFile(join(pictures, names[number % names.length] ?? ''))
    await sharp(bytes).resize(320, 320, { fit: 'inside' }).flatten().jpeg({ quality: 80 }).toBuffer()
  })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / jobs
}

type Answer = { id: number; status: string; error?: object }

async function call(url: string, key: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(
    url,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}

try {
  await makePictures()
  const names = await readdir(pictures)
  using files = await startFileServer(pictures)
  const port = await freePort()
  const settings = {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    ALLOWED_PRIVATE_HOSTS: files.host,
    LOG_LEVEL: 'warn',
  }
  const service = run(['serve'], settings)
  const base = `http://127.0.0.1:${port}/v1`
  try {
    await until(
      async () =>
        await fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
    )
    const command = async (...args: string[]) => {
      const told = run(args, settings)
      if ((await told.ended) !== 0) throw new Error(told.err())
      return told.out()
    }
    const created = ['create', '--name', 'bench', '--email', 'bench@example.com', '--credit', '1000000.00', '--json']
    const { account, live_key: key } = JSON.parse(await command('account', ...created))
    const limits = ['--requests-per-minute', '1000000', '--concurrent', '1000']
    await command('account', 'limits', String(account.id), ...limits)

    let polls = 0
    const serve = async (number: number) => {
      const operations = [
        { type: 'resize', width: 320, height: 320 },
        { type: 'compress', quality: 80 },
      ]
      const source = files.url(names[number % names.length] ?? '')
      const { id } = await call(`${base}/images/process`, key, { source, operations, output: { format: 'jpg' } })
      for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * POLL_GROWTH, LAST_POLL_MS)) {
        const { status, error } = await call(`${base}/requests/${id}`, key)
        polls += 1
        if (status === 'succeeded') return
        if (status === 'failed') throw new Error(JSON.stringify(error))
        await delay(pauseMs)
      }
    }
    using meter = startMeter([files.pid])
    // Its processes live longer than this, and to look at them all the time would take a good part of a core.
    meter.isWatching = false
    sharp.cache(false)
    sharp.concurrency(1)
    await each(jobs, clients, serve)
    const ratios: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const sharpMs = await sharpAlone(names)
      await meter.restart()
      polls = 0
      await each(jobs, clients, serve)
      const parts = await meter.cpuMsOf(partOf)
      const serviceMs = Object.values(parts).reduce((sum, ms) => sum + ms, 0) / jobs
      ratios.push(serviceMs / sharpMs)
      print({
        sharpMs: round2(sharpMs),
        serviceMs: round2(serviceMs),
        ratio: round2(serviceMs / sharpMs),
        polls: polls / jobs,
        ...Object.fromEntries(Object.entries(parts).map(([part, ms]) => [part, round2(ms / jobs)])),
      })
    }
    const median = ratios.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN
    print({ case: 'ten small images, PostgreSQL counted', ratio: round2(median), atMost: AT_MOST })
  } finally {
    service.child.kill('SIGTERM')
    await service.ended
  }
} finally {
  await rm(folder, { recursive: true })
}

function partOf(command: string): string {
  return PARTS.find(([pattern]) => pattern.test(command))?.[1] ?? 'others'
}

function print(row: object): void {
  process.stdout.write(`${JSON.stringify(row)}\n`)
}

function round2(value: number): number {
  return Math.round(value * 100) / 100
}
