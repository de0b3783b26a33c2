/**
 * Compares the CPU time of PDF and video jobs with Debian's tools. Linux only:
 * `node lab/bench/tools.ts [--rounds 5] [--jobs pdf_read,screenshot] [--pdf FILE] [--video FILE] [--out FILE]`.
 * Requires qpdf, poppler-utils, and ffmpeg. Run nothing else on the machine. The figure of a service job includes all
 * processes and PostgreSQL. A tool starts once per file.
 */
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { PDFDocument } from '@cantoo/pdf-lib'
import sharp from 'sharp'
import { each, runJob } from './baseline-server/client.ts'
import { startFileServer } from './file-server.ts'
import { startMeter, sumOf } from './process-meter.ts'
import { serveForBench } from './serve-for-bench.ts'
import { drawBook, median, toolMs } from './tool.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    jobs: { type: 'string' },
    pdf: { type: 'string' },
    video: { type: 'string' },
    out: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
/** The number of jobs per measurement. Linux counts CPU time in units of 10 ms, so one job is too short. */
const COUNT = 10

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
stack.defer(() => rm(folder, { recursive: true }))
const sources = join(folder, 'sources')
const pathOf = (name: string) => join(sources, name)
await makeSources()
const files = stack.use(await startFileServer(sources))
const service = stack.use(await serveForBench(join(folder, 'data'), files.host))
using meter = startMeter({ isOurs: (command) => command.includes('main.ts') })

type ToolJob = { path: string; body: object; tool: [string, ...string[]]; atMost: number }
const source = { pdf: files.url('book.pdf'), video: files.url('clip.mp4') }
const stamp = [{ type: 'watermark', image_url: files.url('logo.png'), x: 20, y: 20 }]
const pageOne = ['-jpeg', '-r', '150', '-f', '1', '-l', '1', '-singlefile']
const [pdf, clip, drawn] = [pathOf('book.pdf'), pathOf('clip.mp4'), pathOf('tool')]
const quiet = ['-v', 'error', '-nostdin', '-y']
const probeArguments = ['-v', 'error', '-show_format', '-show_streams', '-of', 'json']
const overlay = ['--overlay', pathOf('stamp.pdf'), '--repeat=1', '--']
const frame = ['-frames:v', '1', '-q:v', '3']
const JOBS: Readonly<Record<string, ToolJob>> = {
  pdf_snapshot: {
    path: '/documents/snapshot',
    body: { source: source.pdf, page: 1, output: { format: 'jpg' } },
    tool: ['pdftoppm', ...pageOne, pdf, drawn],
    atMost: 0.8,
  },
  pdf_read: {
    path: '/documents/read',
    body: { source: source.pdf },
    tool: ['qpdf', '--show-npages', pdf],
    atMost: 1.5,
  },
  pdf_watermark: {
    path: '/documents/process',
    body: { source: source.pdf, operations: stamp },
    tool: ['qpdf', pdf, ...overlay, `${drawn}.pdf`],
    atMost: 0.6,
  },
  video_read: {
    path: '/videos/read',
    body: { source: source.video },
    tool: ['ffprobe', ...probeArguments, clip],
    atMost: 0.5,
  },
  screenshot: {
    path: '/videos/screenshot',
    body: { source: source.video, seconds: 25 },
    tool: ['ffmpeg', ...quiet, '-ss', '25', '-i', clip, ...frame, `${drawn}.jpg`],
    atMost: 0.5,
  },
}
const names = values.jobs?.split(',') ?? Object.keys(JOBS)

const rows: object[] = []
const round = (value: number) => Math.round(value * 100) / 100
for (const name of names) {
  const job = JOBS[name]
  if (job !== undefined) await compare(name, job)
}
if (values.out !== undefined) await writeFile(values.out, `${JSON.stringify(rows, null, 1)}\n`)

async function compare(name: string, job: ToolJob): Promise<void> {
  const first = await ours(job)
  toolMs(...job.tool)
  const [own, others]: [number[], number[]] = [[], []]
  let shares: ReadonlyMap<string, number> = new Map()
  for (let turn = 0; turn < rounds; turn += 1) {
    shares = await ours(job)
    own.push(sumOf(shares))
    others.push(toolMs(...job.tool))
  }
  const [ms, theirMs] = [median(own), median(others)]
  const row = {
    job: name,
    ms: round(ms),
    from: round(Math.min(...own)),
    to: round(Math.max(...own)),
    first: round(sumOf(first)),
    tool: job.tool[0],
    toolMs: round(theirMs),
    ratio: round(ms / theirMs),
    atMost: job.atMost,
    shares: Object.fromEntries([...shares].map(([part, used]) => [part, round(used)])),
  }
  rows.push(row)
  process.stdout.write(`${JSON.stringify(row)}\n`)
}

async function ours({ path, body }: ToolJob): Promise<Map<string, number>> {
  await meter.restart()
  await each(COUNT, 1, () => runJob(service, path, body, 'waited'))
  return new Map([...(await meter.cpuMs())].map(([part, ms]) => [part, ms / COUNT]))
}

async function makeSources(): Promise<void> {
  await mkdir(sources, { recursive: true })
  const logo = await sharp({ create: { width: 320, height: 120, channels: 4, background: '#2060c099' } })
    .png()
    .toBuffer()
  await writeFile(pathOf('logo.png'), logo)
  const mark = await PDFDocument.create()
  mark.addPage([612, 792]).drawImage(await mark.embedPng(logo), { x: 20, y: 650 })
  await writeFile(pathOf('stamp.pdf'), await mark.save())
  if (values.pdf === undefined) await writeFile(pathOf('book.pdf'), await drawBook())
  else await copyFile(values.pdf, pathOf('book.pdf'))
  if (values.video !== undefined) return await copyFile(values.video, pathOf('clip.mp4'))
  const lavfiSource = 'testsrc2=s=1280x720:r=30:d=60,noise=alls=6:allf=t,format=yuv420p'
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-movflags', '+faststart']
  spawnSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', lavfiSource, ...coded, pathOf('clip.mp4')])
}
