import { ApiError } from '@mediamill/contract/domain/errors'
import type { RequestId } from '@mediamill/contract/domain/ids'
import type { MediaRequest } from '@mediamill/contract/domain/request'
import { Slots } from '../lib/slots.ts'
import { findAgain } from '../requests/find.ts'
import type { ShownFile } from '../requests/result-files.ts'
import { keptFile, shownFile } from '../requests/result-files.ts'
import type { ApiContext } from './api-context.ts'

const WAIT_MS = 10_000

/** Per account in this process: how many previews are rendered at a time, and how many calls can wait for a preview. */
const AT_ONCE = { perName: 3, maxWaiting: 50 }

export class Previews {
  readonly #api: Pick<ApiContext, 'sql' | 'stamps'>
  readonly #slots = new Slots(AT_ONCE)
  readonly #rendering = new Map<RequestId, Promise<ShownFile | undefined>>()

  constructor(api: Pick<ApiContext, 'sql' | 'stamps'>) {
    this.#api = api
  }

  async find(request: MediaRequest): Promise<ShownFile | undefined> {
    if (keptFile(request) === undefined) return undefined
    const shown = shownFile(request)
    if (shown !== undefined) return shown
    const { id } = request
    const rendering = this.#rendering.get(id) ?? this.#render(request).finally(() => this.#rendering.delete(id))
    this.#rendering.set(id, rendering)
    return await rendering
  }

  async #render({ id, accountId, livemode }: MediaRequest): Promise<ShownFile | undefined> {
    using slot = await this.#slots.take(String(accountId))
    if (slot === undefined) return undefined
    const { sql, stamps } = this.#api
    const bounds = { quotaBytes: 0, sourceBytes: 0, waitMs: WAIT_MS }
    try {
      const order = await stamps.order({ accountId, livemode, stamp: { type: 'preview', request: id }, ...bounds })
      await stamps.end(order, AbortSignal.timeout(WAIT_MS))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'concurrency_limited') return undefined
      throw error
    }
    const rendered = await findAgain(sql, id)
    return rendered && shownFile(rendered)
  }
}
