import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PDFDocument } from '@cantoo/pdf-lib'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { PdfiumPool } from '@mediamill/engines/document/pdfium/pdfium-pool'
import { processDocument } from '@mediamill/engines/document/process'
import { readDocument } from '@mediamill/engines/document/read'
import { snapshotDocument } from '@mediamill/engines/document/snapshot'
import type { EngineJob } from '@mediamill/engines/protocol/messages'
import sharp from 'sharp'
import { drawBook, median, toolMs } from './tool.ts'

/**
 * Compares the CPU time of the document engine with Debian's tools: `node lab/bench/document-floor.ts [rounds]
 * [file.pdf]`.
 *
 * Uses qpdf, pdftk, and poppler-utils; skips missing tools. Engine and tool process the same file in turns. Figures are
 * medians of user and system time. The engine is already running, as in a service. A tool starts once per file.
 */
const ROUNDS = Number(process.argv[2] ?? 15)
const LIMITS = { maxFramePixels: 100_000_000, maxSourcePixels: 400_000_000, maxResultBytes: 512 * 1024 * 1024 }

sharp.cache(false)
sharp.concurrency(1)

const folder = await mkdtemp(path.join(tmpdir(), 'mediamill-bench-'))
const pathOf = (name: string) => path.join(folder, name)
const source = process.argv[3] ?? pathOf('source.pdf')
const keeper = await PdfiumPool.start()

async function makeFiles(): Promise<void> {
  const logo = await sharp({
    create: { width: 200, height: 80, channels: 4, background: { r: 220, g: 20, b: 60, alpha: 0.5 } },
  })
    .png()
    .toBuffer()
  await writeFile(pathOf('logo.png'), logo)
  const stamp = await PDFDocument.create()
  stamp.addPage([612, 792]).drawImage(await stamp.embedPng(logo), { x: 10, y: 692 })
  await writeFile(pathOf('stamp.pdf'), await stamp.save())
  if (process.argv[3] !== undefined) return
  await writeFile(source, await drawBook())
}

type JobWithoutWork = Omit<EngineJob, 'task' | 'parameters'>

async function newJob(): Promise<JobWithoutWork> {
  await Promise.all(['result.pdf', 'result.jpg', 'result.png'].map((name) => rm(pathOf(name), { force: true })))
  const input = { path: source, format: 'PDF' as const, size: (await stat(source)).size }
  const assets = [{ url: 'logo', path: pathOf('logo.png'), format: 'PNG' as const, size: 1 }]
  return { input, assets, scratch: folder, limits: LIMITS }
}

async function engine(work: (job: JobWithoutWork) => Promise<unknown>): Promise<number> {
  const job = await newJob()
  const before = process.cpuUsage()
  await work(job)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

await makeFiles()
const operations = operationsSchema('document').parse([{ type: 'watermark', image_url: 'logo', x: 10, y: 20 }])
const output = { format: 'pdf' } as const
const stamp = (job: JobWithoutWork) =>
  processDocument(keeper, { ...job, task: 'documents/process', parameters: { operations, output } }, async () => {})
const read = (job: JobWithoutWork) => readDocument(keeper, { ...job, task: 'documents/read', parameters: {} })
const snapshot = (format: 'jpg' | 'png') => (job: JobWithoutWork) =>
  snapshotDocument(keeper, { ...job, task: 'documents/snapshot', parameters: { page: 1, output: { format } } })
const page1 = ['-r', '150', '-f', '1', '-l', '1']
const sides: Record<string, () => number | Promise<number>> = {
  'process: engine': () => engine(stamp),
  'process: qpdf --overlay': () =>
    toolMs('qpdf', source, '--overlay', pathOf('stamp.pdf'), '--repeat=1', '--', pathOf('tool.pdf')),
  'process: pdftk stamp': () => toolMs('pdftk', source, 'stamp', pathOf('stamp.pdf'), 'output', pathOf('tool.pdf')),
  'read: engine': () => engine(read),
  'read: qpdf --show-npages': () => toolMs('qpdf', '--show-npages', source),
  'snapshot jpg: engine': () => engine(snapshot('jpg')),
  'snapshot jpg: pdftoppm': () => toolMs('pdftoppm', ...page1, '-jpeg', source, pathOf('tool')),
  'snapshot png: engine': () => engine(snapshot('png')),
  'snapshot png: pdftoppm': () => toolMs('pdftoppm', ...page1, '-png', source, pathOf('tool')),
}
const figures = new Map<string, number[]>(Object.keys(sides).map((name) => [name, []]))
// Rounds below 0 warm up the engine. They do not count.
for (let round = -5; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(sides)) {
    const figure = await run()
    if (round >= 0) figures.get(name)?.push(figure)
  }
}
for (const [name, values] of figures) {
  process.stdout.write(`${name.padEnd(28)}${median(values).toFixed(1).padStart(8)} ms\n`)
}
process.stdout.write(`resident memory at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n`)
await rm(folder, { recursive: true })
