/**
 * Sends mutated files of every format through a whole service and counts what became of them:
 * `npm run mutate -- [--count 2000] [--first 0] [--seeds PATTERN] [--keep FOLDER]`. Those that ended an engine are kept in the folder.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MEDIA_TYPES } from '../src/domain/media.ts'
import { type MutantEnd, putMutants, seeds } from '../test/hostile/put-mutants.ts'
import { validImages } from '../test/hostile/valid-files.ts'
import { startService } from '../test/support/service.ts'
import { startSourceServer } from '../test/support/source-server.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    first: { type: 'string' },
    seeds: { type: 'string' },
    keep: { type: 'string' },
  },
})
const count = Number(values.count ?? 2_000)
const first = Number(values.first ?? 0)
const all = (await seeds(MEDIA_TYPES)).filter(({ name }) => new RegExp(values.seeds ?? '').test(name))
const { PNG } = await validImages()
await using server = await startSourceServer({ '/mark.png': PNG })
const settings = { IMAGE_DEADLINE: '20s', VIDEO_DEADLINE: '20s', DOCUMENT_DEADLINE: '20s' }
await using service = await startService({ allowed: [server.host], settings })

/** What the worker says of a job whose engine did not survive it, or that was too slow. */
const LOST = /too demanding|took longer|could not be processed now/
const lost: MutantEnd[] = []
const slowest: MutantEnd[] = []
const startedAt = performance.now()
const counts = await putMutants(service, server, {
  seeds: all,
  first,
  count,
  lines: 6,
  onEnd(end, bytes) {
    slowest.push(end)
    slowest.sort((a, b) => b.milliseconds - a.milliseconds).splice(5)
    if (!LOST.test(end.message)) return
    lost.push(end)
    if (values.keep !== undefined) void keep(values.keep, end, bytes)
  },
})

async function keep(folder: string, { seed, number }: MutantEnd, bytes: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${number}.${seed.toLowerCase()}`), bytes)
}

const seconds = Math.round((performance.now() - startedAt) / 1000)
process.stdout.write(`${count} mutants of ${all.length} formats in ${seconds} s, from number ${first} on:\n`)
for (const [outcome, times] of Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  process.stdout.write(`${String(times).padStart(8)}  ${outcome}\n`)
}
const show = ({ seed, number, path, ending, milliseconds, message }: MutantEnd) =>
  `  ${number} ${seed} ${path} ${ending} ${milliseconds} ms ${message}\n`
process.stdout.write(`the slowest:\n${slowest.map(show).join('')}`)
process.stdout.write(`engines lost, or stopped at a limit: ${lost.length}\n${lost.map(show).join('')}`)
const left = await readdir(join(service.dataDir, 'scratch'), { recursive: true, withFileTypes: true })
const files = left.filter((entry) => entry.isFile() || entry.parentPath.endsWith('/jobs'))
process.stdout.write(`left in the scratch folder: ${files.length}\n`)
