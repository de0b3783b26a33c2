/**
 * Preload of the command line. Kills the process before step KILL_AT, or after the step if KILL_AFTER=yes. A step is a
 * call of the API, or the hard link that gives a complete result file its name.
 */
import { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { KILL_AT, KILL_AFTER } = process.env
const [fetchNow, linkNow] = [globalThis.fetch, promises.link]
let steps = 0

async function step<Result>(work: () => Promise<Result>): Promise<Result> {
  steps += 1
  const isLast = steps === Number(KILL_AT)
  if (isLast && KILL_AFTER !== 'yes') process.kill(process.pid, 'SIGKILL')
  const result = await work()
  if (isLast) process.kill(process.pid, 'SIGKILL')
  return result
}

globalThis.fetch = async (...given) => await step(() => fetchNow(...given))
promises.link = async (...given) => await step(() => linkNow(...given))
syncBuiltinESMExports()
