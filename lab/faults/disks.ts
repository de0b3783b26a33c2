import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench, Finding, Scenario } from './bench.ts'
import { openBench, soon } from './bench.ts'

const SIZE = '700m'
const ANSWERED_MS = 10_500

/** Returns why this process cannot mount disks. Tries a mount, because some containers forbid mounts even to root. */
export function whyNoMount(): string | undefined {
  const tried = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()])
  return tried.status === 0 ? undefined : 'this user cannot mount a disk'
}

/** Fills the disk of the database, of the scratch files, and of the results. Then makes the results read-only. */
export const disks: Scenario = {
  name: 'disks full and read-only',
  missing: whyNoMount,
  async run() {
    const outer = tmpdir()
    const folder = await mkdtemp(join(outer, 'mediamill-disk-'))
    if (!mount('-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder)) throw new Error('mounting the tmpfs disk failed')
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = folder
    try {
      await using bench = await openBench({ apis: 1, workers: 1 })
      await bench.ended(await bench.accept('small'), 60_000)
      return [...(await fill(bench, folder)), ...(await readOnly(bench))]
    } finally {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
      spawnSync('umount', ['--lazy', folder])
      await rm(folder, { recursive: true, force: true })
    }
  },
}

const mount = (...args: string[]) => spawnSync('mount', args).status === 0

async function fill({ accept, call, ended, fleet, environment }: Bench, folder: string): Promise<Finding[]> {
  const filler = join(folder, 'filler')
  const { bavail, bsize } = await statfs(folder)
  const file = await open(filler, 'w')
  const block = Buffer.alloc(1024 * 1024)
  try {
    for (let left = bavail * bsize; left > 0; left -= block.length) await file.write(block)
  } catch {
    // No space is left on the disk.
  }
  await file.close()
  const ready = await call('GET', '/readyz')
  const body = { source: environment.sources('small'), operations: [{ type: 'grayscale' }] }
  const calls = []
  for (let index = 0; index < 5; index += 1) calls.push(await call('POST', '/v1/images/process', { body }))
  const upload = await call('POST', '/v1/uploads', { body: { size: 1_000_000 } })
  const queued = calls.flatMap(({ status, body }) => (status === 202 && body.id !== undefined ? [body.id] : []))
  await rm(filler)
  const back = await soon(async () => (await call('GET', '/readyz', { timeoutMs: 3_000 })).status === 200, 60_000)
  const ends = []
  for (const id of queued) ends.push(await ended(id, 60_000))
  const next = await ended(await accept('small'), 60_000)
  return [
    {
      what: 'a full disk: /readyz returns 503, and each call is accepted or returns 500 within 10 s',
      figure: `readyz ${ready.status}; calls ${calls.map(({ status, ms }) => `${status} in ${ms} ms`).join(', ')}; upload ${upload.status}`,
      kept:
        ready.status === 503 && calls.every(({ status, ms }) => (status === 202 || status === 500) && ms < ANSWERED_MS),
    },
    {
      what: 'a disk with free space again: ready within 20 s; accepted requests succeed and are charged once',
      figure: `ready after ${back} ms; ${ends.map(({ status, charges }) => `${status} ${charges}`).join(', ')}; then ${next.status}; ${fleet.unasked.length} unexpected exits`,
      kept:
        back !== undefined &&
        back < 20_000 &&
        [...ends, next].every(({ status, charges }) => status === 'succeeded' && charges === 1) &&
        fleet.unasked.length === 0,
    },
  ]
}

/** Makes the results folder read-only, as Linux does with a damaged file system. */
async function readOnly({ accept, call, ended, environment }: Bench): Promise<Finding[]> {
  const results = join(environment.dataDir, 'results')
  await mkdir(results, { recursive: true })
  const kept = await accept('small')
  await ended(kept, 60_000)
  const link = ((await call('GET', `/v1/requests/${kept}`)).body as { result?: { files?: { url: string }[] } }).result
    ?.files?.[0]
  mount('--bind', results, results)
  mount('-o', 'remount,ro,bind', results)
  const id = await accept('small')
  const during = await ended(id, 6_000)
  const { pathname = '', search = '' } = link === undefined ? {} : new URL(link.url)
  const download = await call('GET', pathname + search)
  spawnSync('umount', ['--lazy', results])
  const after = await ended(id, 60_000)
  return [
    {
      what: 'a read-only results folder: a finished job keeps its result and stays in processing; older results are served',
      figure: `after 6 s ${during.status}, attempt ${during.attempt}; older result ${download.status}`,
      kept: during.status === 'processing' && download.status === 200,
    },
    {
      what: 'a writable results folder again: the job succeeds without another attempt',
      figure: `${after.status} after ${after.ms} ms, attempt ${after.attempt}, ${after.charges} charge`,
      kept: after.status === 'succeeded' && after.attempt === 1 && after.charges === 1,
    },
  ]
}
