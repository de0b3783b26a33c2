import { DatabaseSync } from 'node:sqlite'

/** Returns `undefined` if another process holds the lock. The system releases it when that process ends. */
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

/** Keeps the locks referenced, because a garbage-collected connection would release its lock. */
const held = new Set<DatabaseSync>()

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5
