/**
 * Measures the cost of downloads in single bytes for a process and its other downloads: `node lab/bench/crumbs.ts
 * [downloads] [bytes]`. Fetches small files one by one, first alone, then during downloads in chunks of one byte.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { download } from '@mediamill/server/outbound/fetch/download'
import { parseAllowedHosts } from '@mediamill/server/outbound/guard/allowed-hosts'
import { startDrippingServer } from '../support/dripping-server.ts'
import { startSourceServer } from '../support/source-server.ts'

const LOOK_MS = 8_000

const [downloads = '20', bytes = '1000000', dripping, small] = process.argv.slice(2)
if (small === undefined) await serve()
else await measure(dripping ?? '', small)

/** The servers run in their own process, so that their cost is not measured. */
async function serve(): Promise<void> {
  await using drips = await startDrippingServer(Buffer.alloc(Number(bytes), 'x'))
  await using files = await startSourceServer({ '/small': Buffer.alloc(100_000) })
  const args = [import.meta.filename, downloads, bytes, drips.url, files.url('/small')]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  process.stdout.write(await text(child.stdout))
}

async function measure(drippingUrl: string, smallUrl: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crumbs-'))
  const stop = new AbortController()
  let number = 0
  const fetchOne = (url: string) => {
    number += 1
    return download(url, join(folder, String(number)), {
      network: { allowedHosts: parseAllowedHosts([drippingUrl, smallUrl].map((each) => new URL(each).host).join()) },
      signal: stop.signal,
      maxBytes: 10 * 1024 * 1024,
      deadlineMs: 60_000,
    })
  }
  async function neighbour(): Promise<string> {
    const took: number[] = []
    for (const end = performance.now() + LOOK_MS; performance.now() < end; ) {
      const from = performance.now()
      await fetchOne(smallUrl)
      took.push(performance.now() - from)
    }
    took.sort((a, b) => a - b)
    const at = (share: number) => (took[Math.floor((took.length - 1) * share)] ?? 0).toFixed(1)
    return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`
  }
  const idle = await neighbour()
  const before = await peakMb()
  const cpu = process.cpuUsage()
  const dripping = Promise.allSettled(Array.from({ length: Number(downloads) }, () => fetchOne(drippingUrl)))
  const beside = await neighbour()
  const { user, system } = process.cpuUsage(cpu)
  stop.abort(new Error('measured'))
  await dripping
  await rm(folder, { recursive: true })
  const grown = (await peakMb()) - before
  const cpuMs = Math.round((user + system) / 1000)
  process.stdout.write(`small files alone: ${idle}\nbeside ${downloads} downloads: ${beside}\n`)
  process.stdout.write(`most memory: ${before} MB, ${grown} MB more; ${cpuMs} ms of processor time in ${LOOK_MS} ms\n`)
}

async function peakMb(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8')
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
