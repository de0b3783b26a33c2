import { registerHooks } from 'node:module'

/** A text of the driver and what is put in its place, which stands there so often. */
type Repair = { wrong: string; right: string; times: number }

/** The files of the driver that are changed. */
const FILE = /\/node_modules\/postgres\/src\/(connection|index|queue)\.js$/

/** What is put right in the file that keeps a connection. */
const CONNECTION: readonly Repair[] = [
  {
    // A connection that closed with a write on its way took that write for scheduled for ever after: it never said
    // another word, not even who it is, and every statement that got it timed out until the process was started anew.
    wrong: 'clearImmediate(nextWriteTimer)',
    right: 'clearImmediate(nextWriteTimer), chunk = nextWriteTimer = null',
    times: 3,
  },
  {
    // The write of a connection that has closed meanwhile ended the process.
    wrong: 'const x = socket.write(chunk, fn)',
    right: 'const x = socket === null || socket.write(chunk, fn)',
    times: 1,
  },
  {
    // A server, or a proxy before one that is away, that hangs up before it says a word was dialled in a circle without a
    // pause, and the statement never failed.
    wrong: 'return reconnect()',
    right: "errored(Errors.connection('CONNECTION_CLOSED', options, socket))",
    times: 1,
  },
  {
    // A connection that was opened anew still had the statement under which it was lost, and what the server had said to that:
    // both came to the next statement, long after the server was there again.
    wrong: 'statementCount = 1\n      lifeTimer.start()',
    right: 'statementCount = 1\n      query = results = errorResponse = null\n      lifeTimer.start()',
    times: 1,
  },
  {
    // A connection that was closed for resting was opened again only after the pause that follows a lost one: a call that came
    // in that moment waited half a second.
    wrong: 'closedTime = performance.now()',
    right: 'closedTime = terminated && !hadError ? 0 : performance.now()',
    times: 1,
  },
]

// A pool handed out the connection that had rested longest, so that each was used now and then and none ever rested for a
// minute. The one used last has its statements prepared and its memory warm, and the others can be closed.
const POOL: readonly Repair[] = [{ wrong: 'open.shift()', right: 'open.pop()', times: 2 }]
const QUEUE: readonly Repair[] = [
  {
    wrong: '    shift: () => {',
    right:
      '    pop: () => {\n      const out = xs.pop()\n      if (index === xs.length) { index = 0; xs = [] }\n      return out\n    },\n    shift: () => {',
    times: 1,
  },
]

const REPAIRS = { connection: CONNECTION, index: POOL, queue: QUEUE } as const

/** A file of the driver that is changed. */
export type DriverFile = keyof typeof REPAIRS

/** Returns a file of the driver without its faults. It throws when these do not stand in it as they were found. */
export function repaired(text: string, file: DriverFile): string {
  return REPAIRS[file].reduce((whole, { wrong, right, times }) => {
    const parts = whole.split(wrong)
    if (parts.length !== times + 1)
      throw new Error(`the driver postgres is not the version that was repaired: ${wrong}`)
    return parts.join(right)
  }, text)
}

const hooks = registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const file = FILE.exec(url)?.[1] as DriverFile | undefined
    if (file === undefined || loaded.source === undefined || loaded.source === null) return loaded
    return { ...loaded, source: repaired(Buffer.from(loaded.source as Uint8Array).toString(), file) }
  },
})

/**
 * The driver postgres.js 3.4.9, with five faults of its connections repaired.
 *
 * That is done as it is loaded (docs/decisions/0077), and has its pool hand out the connection used last. Two are known to its makers and not yet put right (porsager/postgres #1208, #1193); each has its test.
 */
export const { default: postgres } = await import('postgres')

hooks.deregister()
