/**
 * Sends mutated files of every format to a service, and counts outcomes and lost engines:
 * `npm run mutate -- [--count 2000] [--first 0] [--seeds PATTERN] [--lines 6] [--keep FOLDER]`.
 * `--keep` saves files that made an engine end. Exits with 1 after an undocumented error code or a leftover file.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { LostEngines } from './hostile/lost-engines.ts'
import type { MutantEnd } from './hostile/send-mutants.ts'
import { seeds, sendMutants } from './hostile/send-mutants.ts'
import { validImages } from './hostile/valid-files.ts'
import { startService } from './support/service.ts'
import { startSourceServer } from './support/source-server.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string' },
    first: { type: 'string' },
    seeds: { type: 'string' },
    lines: { type: 'string' },
    keep: { type: 'string' },
  },
})
const count = Number(values.count ?? 2_000)
const first = Number(values.first ?? 0)
const all = (await seeds(MEDIA_TYPES)).filter(({ name }) => new RegExp(values.seeds ?? '').test(name))
const { PNG } = await validImages()
const lost = new LostEngines()
await using server = await startSourceServer({ '/mark.png': PNG })
const settings = { IMAGE_DEADLINE: '20s', VIDEO_DEADLINE: '20s', DOCUMENT_DEADLINE: '20s', LOG_LEVEL: 'warn' }
await using service = await startService({ allowed: [server.host], settings, logTo: lost })

/** Matches error messages of jobs whose engine was lost or reached a limit. */
const ENDED = /too demanding|took longer|needs more than|went wrong on our side/
const ended: MutantEnd[] = []
const slowest: MutantEnd[] = []
const ends = new Map<number, MutantEnd>()
const startedAt = performance.now()
const counts = await sendMutants(service, server, {
  seeds: all,
  first,
  count,
  lines: Number(values.lines ?? 6),
  onEnd(end, bytes) {
    ends.set(end.id, end)
    slowest.push(end)
    slowest.sort((a, b) => b.milliseconds - a.milliseconds).splice(5)
    const isEnded = ENDED.test(end.message)
    if (isEnded) ended.push(end)
    if (values.keep !== undefined && (isEnded || lost.of(end.id).length > 0)) void keep(values.keep, end, bytes)
  },
})

async function keep(folder: string, { seed, number }: MutantEnd, bytes: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${number}.${seed.toLowerCase()}`), bytes)
}

const seconds = Math.round((performance.now() - startedAt) / 1000)
const print = (line: string) => process.stdout.write(`${line}\n`)
const show = ({ seed, number, path, ending, milliseconds, message }: MutantEnd) =>
  `  ${number} ${seed} ${path} ${ending} ${milliseconds} ms ${message}`
print(`${count} mutants of ${all.length} formats in ${seconds} s, from number ${first} on:`)
for (const [outcome, times] of Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  print(`${String(times).padStart(8)}  ${outcome}`)
}
print('the slowest:')
for (const end of slowest) print(show(end))
print(`stopped at a limit, or failed with their engine: ${ended.length}`)
for (const end of ended) print(show(end))
print(`engines lost: ${lost.all.length}`)
for (const loss of lost.all) {
  const end = loss.requestId === undefined ? undefined : ends.get(loss.requestId)
  const whose = end === undefined ? '  between jobs' : show(end)
  print(`${whose}\n    process ${loss.pid} after ${loss.jobs} jobs: ${loss.reason}`)
  for (const line of loss.stderr.split('\n').filter(Boolean).slice(0, 6)) print(`      ${line}`)
}
for (const line of lost.others) print(`  the log warns: ${line}`)
const left = await readdir(join(service.dataDir, 'scratch'), { recursive: true, withFileTypes: true })
const files = left.filter((entry) => entry.isFile() || entry.parentPath.endsWith('/jobs'))
print(`left in the scratch folder: ${files.length}`)
process.exitCode = files.length === 0 ? 0 : 1
