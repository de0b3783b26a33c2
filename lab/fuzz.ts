/**
 * Sends random calls to the API, and stops at the first 5xx or undocumented response: `node lab/fuzz.ts [calls] [seed]`.
 */
import { fuzz } from './support/fuzz.ts'
import { startService } from './support/service.ts'

const calls = Number(process.argv[2] ?? 20_000)
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31)
if (!(calls > 0 && seed >= 0))
  throw new RangeError('Usage: node lab/fuzz.ts [calls] [seed]. calls must be above 0, and seed at least 0.')

await using service = await startService({ workers: false })
const counts = await fuzz(service, { calls, seed })
process.stdout.write(`${calls} calls, seed ${seed}: no 5xx, and every error has the documented shape.\n`)
for (const [outcome, count] of Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  process.stdout.write(`${String(count).padStart(8)}  ${outcome}\n`)
}
