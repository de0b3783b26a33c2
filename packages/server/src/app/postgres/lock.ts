import { DatabaseSync } from 'node:sqlite'

/** Takes a lock, or returns `undefined` if another process has it. The lock is released when its process ends. */
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

/** Keeps the connections of all locks, because collecting one as garbage would release its lock. */
const locks = new Set<DatabaseSync>()

/** The database is locked: https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5
