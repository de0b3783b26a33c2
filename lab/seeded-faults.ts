/**
 * Puts faults into a copy of the service, and shows that the kit of conformance turns red:
 * `npm run conformance:faults -- [--only PATTERN] [--first N] [--together 1] [--minutes M]`. With `--together` several are put in at
 * once, each of which must turn its own check red. Exits with 1 when it misses one.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { SeededFault } from '../packages/conformance/test/seeded-faults.ts'
import { SEEDED_FAULTS } from '../packages/conformance/test/seeded-faults.ts'
import { createDatabase } from './support/database.ts'
import { copyProject } from './support/project-copy.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    first: { type: 'string', default: '1' },
    together: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
  },
})
const root = join(import.meta.dirname, '..')
const print = (line: string) => process.stdout.write(`${line}\n`)
const endsAt = performance.now() + Number(values.minutes) * 60_000

type Numbered = SeededFault & { number: number }
/** A check that is broken, as the kit prints it, and why. */
type Broken = { check: string; reason: string }

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** What the kit finds broken in the service at `project`. */
async function brokenIn(project: string, only?: string): Promise<Broken[]> {
  const args = ['lab/conformance.ts', ...(only === undefined ? ['--fast'] : ['--only', only])]
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'ignore'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const [code] = await once(child, 'exit')
  const lines = out.split('\n')
  const broken = lines.flatMap((line, index): Broken[] => {
    const check = /^BROKEN +(.*)$/.exec(line)?.[1]
    return check === undefined ? [] : [{ check, reason: (lines[index + 1] ?? '').trim().slice(0, 160) }]
  })
  return broken.length > 0 || code === 0 ? broken : [{ check: 'any', reason: 'the service did not start, or ended' }]
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

/** Faults of different checks, as many as may be together; one whose answers are wrong everywhere is alone. */
function groupsOf(faults: readonly Numbered[]): Numbered[][] {
  const groups: Numbered[][] = []
  for (const fault of faults) {
    const free = groups.find(
      (group) =>
        fault.isEverywhere !== true &&
        group.length < Number(values.together) &&
        group.every(({ check, isEverywhere }) => check !== fault.check && isEverywhere !== true),
    )
    if (free === undefined) groups.push([fault])
    else free.push(fault)
  }
  return groups
}

// The tests' PostgreSQL stays up while this holds a database on it.
await using _database = await createDatabase()
await using project = await copyProject(root, 'seeded')
const wanted = SEEDED_FAULTS.map((fault, index): Numbered => ({ ...fault, number: index + 1 }))
  .filter(({ number }) => number >= Number(values.first))
  .filter(({ check, fault }) => new RegExp(values.only).test(`${check} ${fault}`))
const missed: number[] = []
let tried = 0
for (const group of groupsOf(wanted)) {
  if (performance.now() > endsAt) break
  const startedAt = performance.now()
  const takeOut: (() => Promise<void>)[] = []
  for (const fault of group) takeOut.unshift(await put(project.path, fault))
  const found = await brokenIn(project.path, group.map(({ check }) => ` ${escaped(check)}`).join('|'))
  // One that its own check has not seen may be seen by another.
  const rest = found.length === 0 && group.length === 1 ? await brokenIn(project.path) : found
  for (const undo of takeOut) await undo()
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  for (const { number, fault, check } of group) {
    tried += 1
    const own = rest.find((one) => one.check.includes(check)) ?? (group.length === 1 ? rest[0] : undefined)
    if (own === undefined) missed.push(number)
    print(`${number} | ${fault} | ${own === undefined ? 'NOT FOUND' : `${own.check}: ${own.reason}`}`)
  }
  print(`  ${group.length} in ${seconds} s`)
}
print(
  `${tried - missed.length} of ${tried} seeded faults found${missed.length > 0 ? `; missed: ${missed.join(', ')}` : ''}.`,
)
process.exitCode = missed.length === 0 ? 0 : 1
