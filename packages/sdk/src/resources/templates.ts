import type { DeletedTemplate, ListTemplatesQuery, NewTemplate, Template } from '../api-types.ts'
import { ApiPromise } from '../transport/api-promise.ts'
import type { CallOptions, Transport } from '../transport/transport.ts'
import { send } from '../transport/transport.ts'
import { Pages, sendPage } from './pages.ts'

/** Templates of the account: stored operations and outputs with variables. */
export class Templates {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Stores a new version of a template. If the content equals the newest version, returns the newest version.
   * @example
   * await mediamill.templates.create({
   *   name: 'product',
   *   operations: [{ type: 'resize', width: { variable: 'width' }, height: 2000 }],
   *   variables: { width: { type: 'integer', default: 800, maximum: 2000 } },
   * })
   * await mediamill.images.process({ source, template: 'product', variables: { width: 400 } }).wait()
   */
  create(params: NewTemplate, options: CallOptions = {}): ApiPromise<Template> {
    return new ApiPromise(send(this.#transport, { ...options, method: 'POST', path: PATH, body: params }))
  }

  /**
   * Lists the newest version of each template. Await the list for one page, or iterate over it for all templates.
   * @example for await (const template of mediamill.templates.list()) console.log(template.id)
   */
  list(query: ListTemplatesQuery = {}, options: CallOptions = {}): Pages<Template> {
    return new Pages<Template>(async (after) => {
      const sent = after === undefined ? query : { ...query, after }
      return await sendPage<Template>(this.#transport, { ...options, method: 'GET', path: PATH, query: sent })
    })
  }

  /**
   * Returns a template. `product` means its newest version, and `product@3` its version 3.
   * @example const { operations } = await mediamill.templates.retrieve('product@3')
   */
  retrieve(name: string, options: CallOptions = {}): ApiPromise<Template> {
    return new ApiPromise(send(this.#transport, { ...options, method: 'GET', path: pathOf(name) }))
  }

  /**
   * Deletes every version of a template.
   * @example await mediamill.templates.delete('product')
   */
  delete(name: string, options: CallOptions = {}): ApiPromise<DeletedTemplate> {
    return new ApiPromise(send(this.#transport, { ...options, method: 'DELETE', path: pathOf(name) }))
  }
}

const PATH = '/v1/templates'

const pathOf = (name: string) => `${PATH}/${encodeURIComponent(name)}`
