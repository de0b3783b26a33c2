import { DatabaseSync } from 'node:sqlite'

/**
 * Takes a lock, or returns `undefined` if another process holds it. The system releases the lock when its process ends.
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
  locks.add(database)
  return {
    [Symbol.dispose]() {
      locks.delete(database)
      database.close()
    },
  }
}

/** Keeps a reference to each lock, because garbage collection of its connection would release it. */
const locks = new Set<DatabaseSync>()

/** The database is locked: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5
