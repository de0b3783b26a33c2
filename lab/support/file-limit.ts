import { waits } from './waits.ts'

/** The maximum duration of a test file. `npm test` loads this module first. It ends a file that hangs. */
const LIMIT_MS = Number(process.env['TEST_FILE_LIMIT_MS'] ?? 120_000)

// The timeout of Node's test runner does not cover hooks. Start this timer before a test can mock timers.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  setTimeout(() => {
    process.stderr.write(`${process.argv[1]} did not end within ${LIMIT_MS / 1000} s\n`)
    for (const { stack } of waits) process.stderr.write(`It waits for ${stack}\n`)
    process.exit(1)
  }, LIMIT_MS).unref()
