/**
 * Ends a test file that runs longer than two minutes. `npm test` loads this module before each file with `node --import`.
 * Two files run in parallel, so a file should need at most 40 s of processor time. `TEST_FILE_LIMIT_MS` sets another limit.
 */
const LIMIT_MS = Number(process.env['TEST_FILE_LIMIT_MS'] ?? 120_000)

// The runner's timeout does not cover hooks. This timer starts before tests can mock timers.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  setTimeout(() => {
    process.stderr.write(`${process.argv[1]} did not end within ${LIMIT_MS / 1000} s\n`)
    process.exit(1)
  }, LIMIT_MS).unref()
