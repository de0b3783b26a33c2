/**
 * Checks over HTTP that this checkout conforms to the API reference:
 * `npm run conformance -- [--short] [--only PATTERN] [--lanes 4] [--fast]`. `--fast` stops at the first violated rule.
 * Exits with 1 if a rule is violated.
 */
import { parseArgs } from 'node:util'
import { conform } from '@mediamill/conformance/conform'
import { describeConformance, describeOutcome } from '@mediamill/conformance/describe'
import { startConformingService } from './support/conforming-service.ts'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    only: { type: 'string' },
    lanes: { type: 'string', default: '4' },
  },
})
await using service = await startConformingService()
const found = await conform({
  ...service.given,
  only: values.only === undefined ? undefined : new RegExp(values.only),
  isShort: values.short,
  lanes: Number(values.lanes),
  stopsEarly: values.fast,
  onOutcome: (outcome) => void process.stdout.write(`${describeOutcome(outcome)}\n`),
})
process.stdout.write(`${describeConformance(found)}\n`)
if (found.outcomes.some(({ outcome }) => outcome === 'broken')) process.exitCode = 1
