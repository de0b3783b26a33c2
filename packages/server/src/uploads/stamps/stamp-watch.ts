import { randomBytes } from 'node:crypto'
import { STAMPS_AT_ONCE } from '@mediamill/contract/domain/rendering/stamp'
import type { Sql } from '../../db/connection/connect.ts'
import type { NewStamp, StampEnd } from '../../db/uploads/stamps.ts'
import { insertStamp, listEndedStamps, withdrawStamp } from '../../db/uploads/stamps.ts'
import { notify } from '../../queue/notifications.ts'
import type { WatchOptions } from '../../queue/watch.ts'
import { Watch } from '../../queue/watch.ts'
import { tooManyStamps } from './errors.ts'

export class StampWatch implements Disposable {
  readonly #sql: Sql
  readonly #notices: Sql
  readonly #watch: Watch<string, undefined, { id: string }>

  constructor(sql: Sql, notices: Sql, options: Pick<WatchOptions<string, undefined, { id: string }>, 'schedule'> = {}) {
    this.#sql = sql
    this.#notices = notices
    this.#watch = new Watch({
      ...options,
      read: (waits) =>
        listEndedStamps(
          sql,
          waits.map(({ key }) => key),
        ),
      keyOf: ({ id }) => id,
      hasChanged: () => true,
    })
  }

  async order(stamp: Omit<NewStamp, 'id' | 'atOnce'>): Promise<string> {
    const id = randomBytes(16).toString('hex')
    const isIn = await this.#sql.begin(async (tx) => await insertStamp(tx, { ...stamp, id, atOnce: STAMPS_AT_ONCE }))
    if (!isIn) throw tooManyStamps()
    notify(this.#notices, 'queue:text-watermarks')
    return id
  }

  /** Waits for the image. Discards the image if `signal` aborts or the watch closes before a worker has drawn it. */
  async end(id: string, signal: AbortSignal): Promise<StampEnd | undefined> {
    await this.#watch.wait(id, undefined, signal)
    return await withdrawStamp(this.#sql, id).catch(() => undefined)
  }

  notify(ids: Iterable<string>): void {
    this.#watch.notify(ids)
  }

  close(): void {
    this.#watch.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
