import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { photograph } from './photograph.ts'
import { startMeter, sumOf } from './process-meter.ts'
import { serveForBench } from './serve-for-bench.ts'
import { median } from './tool.ts'

/**
 * Compares the CPU time of different calls, including PostgreSQL: `node lab/bench/outputs.ts [rounds]`.
 * - One request for eight outputs of a photo, and requests for only the largest JPEG or WebP.
 * - A multipart call that returns the file, and an upload with a long poll, with and without the download.
 */
const ROUNDS = Number(process.argv[2] ?? 7)
const SIDES = [1600, 1200, 800, 400]

await using stack = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-bench-'))
stack.defer(() => rm(folder, { recursive: true }))
const service = stack.use(await serveForBench(join(folder, 'data'), ''))
const authorization = `Bearer ${service.key}`
using meter = startMeter()

const large = await photograph(4000, 3000).jpeg({ quality: 90 }).toBuffer()
const small = await photograph(320, 240).jpeg({ quality: 90 }).toBuffer()
const tiny = await photograph(64, 48).webp().toBuffer()

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

const upload = async (bytes: Buffer<ArrayBuffer>, type: string): Promise<string> =>
  JSON.parse(await (await call('/uploads', bytes, { 'content-type': type })).text()).source

async function cpuOf(task: () => Promise<unknown>): Promise<number> {
  await meter.restart()
  await task()
  return sumOf(await meter.cpuMs())
}

/** Runs the tasks in another order each round. Returns the CPU time per run of each task. */
async function rounds<Name extends string>(
  times: number,
  tasks: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>[]> {
  const names = Object.keys(tasks) as Name[]
  for (const name of names) await tasks[name]()
  const all: Record<Name, number>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const spent = {} as Record<Name, number>
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const repeated = async () => {
        for (let time = 0; time < times; time += 1) await tasks[name]()
      }
      spent[name] = (await cpuOf(repeated)) / times
    }
    all.push(spent)
  }
  return all
}

function report(title: string, pairs: readonly (readonly [number, number])[]): void {
  const [one, other] = [0, 1].map((side) => Math.round(median(pairs.map((pair) => pair[side] ?? 0))))
  const ratio = median(pairs.map(([one, other]) => one / other))
  process.stdout.write(`${title}: ${one} ms ÷ ${other} ms = ${ratio.toFixed(2)}\n`)
}

const output = (side: number, format: string) => ({
  name: `${format}-${side}`,
  format,
  operations: [{ type: 'resize', width: side, height: side }],
})

const source = await upload(large, 'image/jpeg')
const eight = SIDES.flatMap((side) => [output(side, 'jpg'), output(side, 'webp')])
const run = (outputs: object[]) => () => json('/images/process', { source, outputs })
for (const format of ['jpg', 'webp']) {
  const spent = await rounds(1, { eight: run(eight), alone: run([output(1600, format)]) })
  report(
    `eight outputs ÷ ${format} of 1600 px alone`,
    spent.map(({ eight, alone }) => [eight, alone]),
  )
}

const PHOTOS: ReadonlyArray<[name: string, bytes: Buffer<ArrayBuffer>, type: string, side: number]> = [
  ['JPEG of 320 px', small, 'image/jpeg', 160],
  ['WebP of 64 px', tiny, 'image/webp', 32],
  ['JPEG of 12 megapixels', large, 'image/jpeg', 160],
]
for (const [name, bytes, type, side] of PHOTOS) {
  const operations = [{ type: 'resize', width: side, height: side }]
  const direct = async () => {
    const form = new FormData()
    form.set('source', new Blob([bytes], { type }), 'photo')
    form.set('operations', JSON.stringify(operations))
    const response = await call('/images/process', form, { accept: 'image/*', prefer: 'wait=60' })
    if (!response.headers.get('content-type')?.startsWith('image/')) throw new Error('the response contains no image')
    await response.arrayBuffer()
  }
  let url = ''
  const separate = async () => {
    const { result } = await json('/images/process', { source: await upload(bytes, type), operations })
    url = result.files[0].url
  }
  const download = async () => await (await fetch(url)).arrayBuffer()
  await separate()
  const spent = await rounds(4, { direct, separate, download })
  report(
    `multipart call ÷ upload and process, ${name}`,
    spent.map(({ direct, separate }) => [direct, separate]),
  )
  report(
    `multipart call ÷ upload, process, and download, ${name}`,
    spent.map(({ direct, separate, download }) => [direct, separate + download]),
  )
}
