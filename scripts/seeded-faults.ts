/**
 * Puts one fault after the other into a copy of the service, and shows that the kit of conformance turns red:
 * `npm run conformance:faults -- [--only PATTERN] [--first N] [--minutes M]`. Exits with 1 when it misses one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SeededFault } from '../test/conformance/seeded-faults.ts'
import { SEEDED_FAULTS } from '../test/conformance/seeded-faults.ts'
import { createDatabase } from '../test/support/database.ts'
import { copyProject } from '../test/support/project-copy.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    first: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const root = join(import.meta.dirname, '..')
const print = (line: string) => process.stdout.write(`${line}\n`)
const endsAt = performance.now() + Number(values.minutes) * 60_000

/** The first sentence that the kit finds broken in the service at `project`. */
async function brokenIn(project: string, only?: string): Promise<string | undefined> {
  const args = ['scripts/conformance.ts', '--fast', ...(only === undefined ? [] : ['--only', only])]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const [code] = await once(child, 'exit')
  if (code === 0) return undefined
  const [line = 'the service did not start', reason = ''] = out
    .split('\n')
    .slice(out.split('\n').findIndex((one) => one.startsWith('BROKEN')))
  return `${line.replace(/^BROKEN +/, '')}: ${reason.trim().slice(0, 160)}`
}

async function put(project: string, { path, was, now }: SeededFault): Promise<() => Promise<void>> {
  const text = await readFile(join(project, path), 'utf8')
  if (text.split(was).length !== 2) throw new Error(`${path} has ${text.split(was).length - 1} places of: ${was}`)
  await writeFile(
    join(project, path),
    text.replace(was, () => now),
  )
  return async () => await writeFile(join(project, path), text)
}

// The tests' PostgreSQL stays up while this holds a database on it.
await using _database = await createDatabase()
await using project = await copyProject(root, 'seeded')
const numbered = SEEDED_FAULTS.map((fault, index) => ({ fault, number: index + 1 }))
const wanted = numbered
  .filter(({ number }) => number >= Number(values.first))
  .filter(({ fault }) => new RegExp(values.only).test(`${fault.section} ${fault.fault}`))
const missed: number[] = []
let tried = 0
for (const { fault, number } of wanted) {
  if (performance.now() > endsAt) break
  tried += 1
  const startedAt = performance.now()
  const takeOut = await put(project.path, fault)
  // Its own section first, and then all of them.
  const section = `^${fault.section.replaceAll('.', '\\.')}-`
  const broken = (await brokenIn(project.path, section)) ?? (await brokenIn(project.path))
  await takeOut()
  if (broken === undefined) missed.push(number)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  print(`${number} | ${fault.section} | ${fault.fault} | ${broken ?? 'NOT FOUND'} | ${seconds} s`)
}
print(
  `${tried - missed.length} of ${tried} seeded faults found${missed.length > 0 ? `; missed: ${missed.join(', ')}` : ''}.`,
)
process.exitCode = missed.length === 0 ? 0 : 1
