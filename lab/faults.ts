/**
 * Runs a service while its machine fails in several ways, and prints the effects:
 * `npm run faults [-- --only PATTERN] [--alerts PATTERN]`. Requires Linux and root.
 */
import { parseArgs } from 'node:util'
import { alerts } from './faults/alerts.ts'
import type { Scenario } from './faults/bench.ts'
import { disks } from './faults/disks.ts'
import { names } from './faults/names.ts'
import { small } from './faults/small.ts'
import { stops } from './faults/stops.ts'

const SCENARIOS: readonly Scenario[] = [stops, disks, names, small, alerts]

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, alerts: { type: 'string', default: '' } },
})
const wanted = SCENARIOS.filter(({ name }) => new RegExp(values.only).test(name))
const print = (line: string) => void process.stdout.write(`${line}\n`)
let broken = 0
for (const { name, missing, run } of wanted) {
  const why = missing?.()
  print(`${name}${why === undefined ? '' : `: skipped, ${why}`}`)
  if (why !== undefined) continue
  for await (const { what, figure, kept } of await run({ alerts: new RegExp(values.alerts) })) {
    print(`  ${kept ? 'ok    ' : 'BROKEN'}  ${what}\n          ${figure}`)
    if (!kept) broken += 1
  }
}
print(broken === 0 ? '\nAll guarantees held.' : `\n${broken} guarantees were broken.`)
process.exitCode = broken === 0 ? 0 : 1
