import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { photograph } from './photograph.ts'
import { startMeter } from './process-meter.ts'
import { serveForBench } from './serve-for-bench.ts'
import { median } from './tool.ts'

/**
 * Compares the CPU time of the service, including PostgreSQL, in pairs of runs: `node lab/bench/outputs.ts [rounds]`.
 *
 * - Eight outputs of a 12-megapixel photo, compared with each of the two largest alone.
 * - A multipart call that returns the file, compared with an upload, a call, and a download; and with an upload, a call, a
 *   download, and the deletion of the upload.
 *
 * A ratio is the median of the rounds' ratios. CPU time, user and system, depends little on other load.
 */
const ROUNDS = Number(process.argv[2] ?? 7)
const SIDES = [1600, 1200, 800, 400]

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
stack.defer(() => rm(folder, { recursive: true }))
const service = stack.use(await serveForBench(join(folder, 'data'), ''))
const authorization = `Bearer ${service.key}`
using meter = startMeter()
meter.isWatching = false

const large = await photograph(4000, 3000).jpeg({ quality: 90 }).toBuffer()
const small = await photograph(320, 240).jpeg({ quality: 90 }).toBuffer()

async function call(
  path: string,
  body: string | FormData | Buffer<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Response> {
  const response = await fetch(`${service.base}${path}`, {
    method: 'POST',
    body,
    headers: { authorization, ...headers },
  })
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
  return response
}

const json = async (path: string, body: object) =>
  JSON.parse(
    await (await call(path, JSON.stringify(body), { 'content-type': 'application/json', prefer: 'wait=60' })).text(),
  )

const upload = async (bytes: Buffer<ArrayBuffer>): Promise<string> =>
  JSON.parse(await (await call('/uploads', bytes, { 'content-type': 'image/jpeg' })).text()).source

/** Runs a task, and returns the CPU time in milliseconds that the service used for it. */
async function cpuOf(task: () => Promise<unknown>): Promise<number> {
  await meter.restart()
  await task()
  return await meter.cpuMs()
}

/** Runs both sides alternately, each `times` times per round. Prints the median of the rounds' ratios. */
async function compare(title: string, times: number, one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const repeated = (task: () => Promise<unknown>) => async () => {
    for (let time = 0; time < times; time += 1) await task()
  }
  const ratios: number[] = []
  const sides: [number, number][] = []
  await one()
  await other()
  for (let round = 0; round < ROUNDS; round += 1) {
    const [first, second] = [await cpuOf(repeated(one)), await cpuOf(repeated(other))]
    ratios.push(first / second)
    sides.push([first / times, second / times])
  }
  const [first, second] = [0, 1].map((side) => Math.round(median(sides.map((pair) => pair[side] ?? 0))))
  process.stdout.write(`${title}: ${first} ms ÷ ${second} ms = ${median(ratios).toFixed(2)}\n`)
}

const output = (side: number, format: string) => ({
  name: `${format}-${side}`,
  format,
  operations: [{ type: 'resize', width: side, height: side }],
})

const source = await upload(large)
const eight = SIDES.flatMap((side) => [output(side, 'jpg'), output(side, 'webp')])
const run = (outputs: object[]) => () => json('/images/process', { source, outputs })
for (const format of ['jpg', 'webp'])
  await compare(`eight outputs ÷ ${format} of 1600 px alone`, 1, run(eight), run([output(1600, format)]))

const operations = [{ type: 'resize', width: 160, height: 120 }]
for (const [name, bytes] of Object.entries({ '320 px': small, '12 megapixels': large })) {
  const direct = async () => {
    const form = new FormData()
    form.set('source', new Blob([bytes], { type: 'image/jpeg' }), 'photo.jpg')
    form.set('operations', JSON.stringify(operations))
    const response = await call('/images/process', form, { accept: 'image/*', prefer: 'wait=60' })
    if (!response.headers.get('content-type')?.startsWith('image/')) throw new Error('the response contains no image')
    await response.arrayBuffer()
  }
  const separate = async () => {
    const source = await upload(bytes)
    const { result } = await json('/images/process', { source, operations })
    await (await fetch(result.files[0].url)).arrayBuffer()
    return source
  }
  const deleted = async () => {
    const id = (await separate()).replace('upload:', '')
    await fetch(`${service.base}/uploads/${id}`, { method: 'DELETE', headers: { authorization } })
  }
  await compare(`multipart call ÷ upload, process, and download, ${name}`, 8, direct, separate)
  await compare(`multipart call ÷ the same and a deletion, ${name}`, 8, direct, deleted)
}
