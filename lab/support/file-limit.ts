/**
 * Ends a test file that runs longer than four minutes: loaded by `node --import` before each file of `npm test`. Files
 * should end within two minutes; a machine that runs two files at once on two cores needs up to twice as long.
 */
const LIMIT_MS = 240_000

// The runner's own timeout does not cover hooks, and a test that mocks timers cannot stop this one: it started before.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  setTimeout(() => {
    process.stderr.write(`${process.argv[1]} did not end within ${LIMIT_MS / 1000} s\n`)
    process.exit(1)
  }, LIMIT_MS).unref()
