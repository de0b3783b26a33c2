import { waits } from './waits.ts'

/**
 * Ends a test file that runs longer than two minutes, and reports the conditions that its tests wait for. `npm test`
 * loads this module before each test file. Two files run in parallel, so each should need at most 40 s of processor
 * time. `TEST_FILE_LIMIT_MS` sets another limit.
 */
const LIMIT_MS = Number(process.env['TEST_FILE_LIMIT_MS'] ?? 120_000)

// The timeout of Node's test runner does not cover hooks. Start this timer before a test can mock timers.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  setTimeout(() => {
    process.stderr.write(`${process.argv[1]} did not end within ${LIMIT_MS / 1000} s\n`)
    for (const { stack } of waits) process.stderr.write(`It waits for ${stack}\n`)
    process.exit(1)
  }, LIMIT_MS).unref()
