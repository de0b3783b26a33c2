/**
 * Sends hostile files to a service and prints their outcomes, while another account runs small jobs:
 * `npm run hostile -- [--files FOLDER] [--only PATTERN]`. `--files` writes the files to a folder and sends nothing.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { hostileFiles } from './hostile/corpus.ts'
import { sendHostile } from './hostile/send-hostile.ts'
import { enginePids } from './support/engine-pids.ts'
import { startService } from './support/service.ts'
import { startSourceServer } from './support/source-server.ts'

const { values } = parseArgs({ options: { files: { type: 'string' }, only: { type: 'string' } } })
const files = (await hostileFiles()).filter(({ name }) => new RegExp(values.only ?? '').test(name))
if (values.files !== undefined) {
  await mkdir(values.files, { recursive: true })
  for (const { name, bytes } of files) await writeFile(join(values.files, name), bytes)
  process.stdout.write(`${files.length} files in ${values.files}\n`)
  process.exit(0)
}

const small = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#4060a0' } })
  .jpeg()
  .toBuffer()
await using server = await startSourceServer({ '/neighbor.jpg': small })
await using service = await startService({ allowed: [server.host] })

/** Runs a small job of another account. Returns the milliseconds until the job has finished. */
async function neighbor(): Promise<number> {
  const startedAt = performance.now()
  const body = { source: server.url('/neighbor.jpg'), operations: [{ type: 'resize', width: 200, height: 200 }] }
  const request = await service.finish('/v1/images/process', body)
  if (request.status !== 'succeeded') throw new Error(`the neighbor's job ended ${JSON.stringify(request)}`)
  return performance.now() - startedAt
}

const idle: number[] = []
for (let count = 0; count < 20; count += 1) idle.push(await neighbor())

const beside: number[] = []
let isOver = false
const measuring = (async () => {
  while (!isOver) beside.push(await neighbor())
})()
let wrong = 0
for (const file of files) {
  const startedAt = performance.now()
  const pids = enginePids()
  const { read, made } = await sendHostile(service, server, file)
  const isRight = read.ending === file.read && made.ending === file.process
  if (!isRight) wrong += 1
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const expected = isRight ? '' : `  EXPECTED ${file.read}, ${file.process}`
  process.stdout.write(`${file.name.padEnd(38)} ${seconds.padStart(5)} s  ${read.ending}, ${made.ending}${expected}\n`)
  const ended = pids.filter((pid) => !enginePids().includes(pid))
  if (ended.length > 0) process.stdout.write(`${''.padEnd(38)}          engine ${ended.join(', ')} ended\n`)
  process.stdout.write(`${''.padEnd(38)}          ${made.message || read.message}\n`)
}
isOver = true
await measuring

const median = (numbers: number[]) => Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0)
const slow = (numbers: number[]) =>
  Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)] ?? 0)
process.stdout.write(`\n${files.length} files, ${wrong} wrong\n`)
process.stdout.write(`A small job takes ${median(idle)} ms (95th percentile ${slow(idle)}) alone, `)
process.stdout.write(`${median(beside)} ms (${slow(beside)}) beside them, ${beside.length} of them.\n`)
process.exitCode = wrong === 0 ? 0 : 1
