import { DatabaseSync } from 'node:sqlite'

/**
 * Takes the lock that a file stands for. It returns `undefined` when another process holds it.
 *
 * The operating system gives it back when the process ends, however it ends, so that it is never stale. SQLite is the
 * one part of Node.js that takes such locks; nothing is ever written to the file.
 */
export function takeLock(file: string): Disposable | undefined {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    throw error
  }
  held.add(database)
  return {
    [Symbol.dispose]() {
      held.delete(database)
      database.close()
    },
  }
}

/** A lock is held until it is given back: collected as garbage, its connection would close and let go of it. */
const held = new Set<DatabaseSync>()

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5
