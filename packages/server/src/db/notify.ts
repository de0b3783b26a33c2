import type { Runner } from './connection/connect.ts'
import type { Fragment } from './connection/statement.ts'

/** The channel of all notifications. A notification contains only the kind and id of the changed object. */
export const CHANNEL = 'mediamill'

/** Sends a notification. The commit must not wait for the disk, because it holds a lock of the whole database. */
export const notifying = (sql: Runner, payload: Fragment) => sql`
  pg_notify(${CHANNEL}, ${payload}), set_config('synchronous_commit', 'off', true)`
