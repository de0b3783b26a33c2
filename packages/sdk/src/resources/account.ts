import type { Account, Catalog, GetUsageQuery, Usage } from '../api-types.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'

/** The account that the key belongs to. */
export class AccountResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Returns the account with its balance, and the limits of this key.
   * @example const { available, limits } = await mediamill.account.retrieve()
   */
  retrieve(options: CallOptions = {}): ApiPromise<Account> {
    return new ApiPromise(send(this.#transport, { ...options, method: 'GET', path: '/v1/account' }))
  }
}

/** The type of a usage report whose rows are grouped by `G`. */
export type UsageBy<G> = Extract<Usage, { group_by: G }>

type Group = NonNullable<GetUsageQuery['group_by']>

/** Usage reports of the account. */
export class UsageResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Returns the usage in a range of days. Rows are grouped by `group_by`; by default by day.
   * @example const { data } = await mediamill.usage.retrieve({ from: '2026-11-01', group_by: 'endpoint' })
   */
  retrieve<G extends Group = 'day'>(
    query: GetUsageQuery & { group_by?: G | undefined } = {},
    options: CallOptions = {},
  ): ApiPromise<UsageBy<G>> {
    return new ApiPromise(send(this.#transport, { ...options, method: 'GET', path: '/v1/usage', query }))
  }
}

/** The operations that the service supports. */
export class OperationsResource {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Returns the catalog: the output formats and the operations of each media type, with their parameters.
   * @example const { image } = (await mediamill.operations.list()).data
   */
  list(options: CallOptions = {}): ApiPromise<Catalog> {
    return new ApiPromise(send(this.#transport, { ...options, method: 'GET', path: '/v1/operations' }))
  }
}
