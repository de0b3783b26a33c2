/** Ends a test file that runs longer than two minutes: loaded by `node --import` before each file of `npm test`. */
const LIMIT_MS = 120_000

// The runner's own timeout does not cover hooks, and a test that mocks timers cannot stop this one: it started before.
if (process.env['NODE_TEST_CONTEXT'] !== undefined)
  setTimeout(() => {
    process.stderr.write(`${process.argv[1]} did not end within ${LIMIT_MS / 1000} s\n`)
    process.exit(1)
  }, LIMIT_MS).unref()
