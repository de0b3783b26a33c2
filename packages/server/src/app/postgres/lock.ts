import { DatabaseSync } from 'node:sqlite'

/** Takes a lock until this process ends. Returns `undefined` if another process has the lock. */
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

/** Keeps the SQLite connections of all locks. The garbage collection of a connection would release its lock. */
const locks = new Set<DatabaseSync>()

/** SQLite's error code for a database that another process has locked: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5
