import { registerHooks } from 'node:module'

/** The driver's files that are put right. */
const FILE = /\/node_modules\/postgres\/src\/(connection|index|queue)\.js$/

type Repaired = 'connection' | 'index' | 'queue'

/** What is put right in the file that keeps a connection, each as often as it stands there. */
const CONNECTION: readonly { wrong: string; right: string; times: number }[] = [
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
]

/**
 * Free connections took turns, the one that had rested longest first, so that statements that come one by one each met
 * another session, with nothing of it left in the processor's caches (docs/decisions/0085).
 */
const REPAIRS: Readonly<Record<Repaired, typeof CONNECTION>> = {
  connection: CONNECTION,
  index: [{ wrong: 'open = Queue()', right: 'open = Queue([], true)', times: 1 }],
  queue: [
    { wrong: 'function Queue(initial = [])', right: 'function Queue(initial = [], isLastFirst = false)', times: 1 },
    { wrong: 'shift: () => {', right: 'shift: () => {\n      if (isLastFirst) return xs.pop()', times: 1 },
  ],
}

/** Returns the text of a driver's file without its faults. It throws when these do not stand in it as they were found. */
export function repaired(file: Repaired, text: string): string {
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
    const file = FILE.exec(url)?.[1] as Repaired | undefined
    if (file === undefined || loaded.source === undefined || loaded.source === null) return loaded
    return { ...loaded, source: repaired(file, Buffer.from(loaded.source as Uint8Array).toString()) }
  },
})

/**
 * The driver postgres.js 3.4.9, with four faults of its connections repaired. Its free ones are used last first.
 *
 * That is done as it is loaded (docs/decisions/0077). Two are known to its makers and not yet put right (porsager/postgres #1208, #1193); each has its test.
 */
export const { default: postgres } = await import('postgres')

hooks.deregister()
