import type { Image } from '../media/image.ts'
import { quarters } from '../media/image.ts'
import { decodePng, encodePng } from '../media/png.ts'
import type { CallResponse } from './call-response.ts'
import type { Caller, CallOptions } from './caller.ts'
import { equal, ok, RuleViolation } from './expect.ts'
import type { Json } from './json.ts'
import type { Receiver } from './receiver.ts'

export type Keys = {
  test?: string
  other?: string
  free?: string
  poor?: string
  suspended?: string
  revoked?: string
  small?: string
}

export class Kit {
  readonly caller: Caller
  readonly keys: Keys
  /** The account at the start of the run. */
  readonly account: Json
  readonly secret: string
  readonly #receiver: Receiver | undefined
  readonly #kept = new Map<string, Promise<unknown>>()

  constructor(
    caller: Caller,
    keys: Keys,
    account: Json,
    options: { secret?: string; receiver?: Receiver | undefined },
  ) {
    this.caller = caller
    this.keys = keys
    this.account = account
    this.secret = options.secret ?? ''
    this.#receiver = options.receiver
  }

  get receiver(): Receiver {
    if (this.#receiver === undefined) throw new RangeError('the check uses a receiver that it does not declare')
    return this.#receiver
  }

  key(name: keyof Keys): string {
    const key = this.keys[name]
    if (key === undefined) throw new RangeError(`the check uses the key ${name}, which it does not declare`)
    return key
  }

  call(method: string, path: string, options?: CallOptions): Promise<CallResponse> {
    return this.caller.call(method, path, options)
  }

  /** Returns the result of `make`. Later calls with the same name return the same result. */
  async once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(name) as Promise<T> | undefined
    const made = kept ?? make()
    if (kept === undefined) this.#kept.set(name, made)
    return await made
  }

  sample(name: string): string {
    return `${this.caller.baseUrl}/docs/samples/${name}`
  }

  /** Uploads a file. Returns the `source` of the upload. */
  async upload(bytes: Buffer, options: CallOptions = {}): Promise<string> {
    const { status, body } = await this.call('POST', '/v1/uploads', { body: bytes, ...options })
    if (status !== 201)
      throw new RuleViolation(`uploads.create.1: an upload returned ${status} ${JSON.stringify(body)}.`)
    return body.source
  }

  /** Returns the `source` of an image with four colors. Each key uploads the image once. */
  async image(key = this.caller.key): Promise<string> {
    return await this.once(`picture ${key}`, () => this.upload(encodePng(quarters()), { key }))
  }

  async start(endpoint: string, body: object, options: CallOptions = {}): Promise<Json> {
    const response = await this.call('POST', `/v1/${endpoint}`, { body, ...options })
    equal(
      response.status,
      202,
      `requests.create.1: the status of an accepted call of ${endpoint} (${JSON.stringify(response.body?.error)})`,
    )
    return response.body
  }

  async finish(endpoint: string, body: object, options: CallOptions = {}): Promise<Json> {
    const headers = { ...options.headers, prefer: 'wait=55' }
    const { status, body: request } = await this.call('POST', `/v1/${endpoint}`, { ...options, body, headers })
    ok(status === 200 || status === 202, `waiting.prefer.1: ${endpoint} with Prefer: wait returned ${status}`, request)
    return await this.settled(request, options)
  }

  async settled(request: Json, options: CallOptions = {}): Promise<Json> {
    let shown = request
    while (shown.status === 'queued' || shown.status === 'processing') {
      const { body } = await this.call('GET', `/v1/requests/${request.id}`, {
        ...(options.key !== undefined && { key: options.key }),
        headers: { prefer: 'wait=55' },
      })
      shown = body
    }
    return shown
  }

  async succeed(endpoint: string, body: object, options: CallOptions = {}): Promise<Json> {
    const request = await this.finish(endpoint, body, options)
    ok(
      request.status === 'succeeded',
      `${endpoint} of ${JSON.stringify(body)} must succeed`,
      request.error ?? request.status,
    )
    return request
  }

  async fail(endpoint: string, body: object, code: string, message = /./): Promise<Json> {
    const request = await this.finish(endpoint, body)
    equal(
      [request.status, request.error?.code],
      ['failed', code],
      `${endpoint} of ${JSON.stringify(body).slice(0, 200)}`,
    )
    ok(message.test(request.error.message), `the message must look like ${String(message)}`, request.error.message)
    return request
  }

  async rejects(call: Promise<CallResponse>, status: number, code: string, param?: string): Promise<Json> {
    const { status: received, body } = await call
    equal(
      [received, body?.error?.code],
      [status, code],
      `a refusal (${body?.error?.message ?? body?.status ?? 'accepted'})`,
    )
    if (param !== undefined) equal(body.error.param, param, 'its param')
    return body.error
  }

  async invalid(endpoint: string, body: unknown, param: string, code: string): Promise<void> {
    const { status, body: response } = await this.call('POST', `/v1/${endpoint}`, { body })
    const first = response?.error?.errors?.[0]
    const what = `${endpoint} of ${JSON.stringify(body)?.slice(0, 200)}`
    equal([status, response?.error?.code, first?.param, first?.code], [422, 'validation_failed', param, code], what)
  }

  async file(request: Json): Promise<Buffer> {
    const link = await this.call('GET', request.result.files[0].url, { key: null })
    equal(link.status, 302, 'results.files.1: a link must return 302')
    const location = new URL(link.headers.get('location') ?? '', request.result.files[0].url)
    const { status, bytes } = await this.call('GET', location.href, { key: null })
    equal(status, 200, 'results.files.1: the redirect must lead to the file')
    return bytes
  }

  async drawn(source: string, operations: readonly object[], format = 'png'): Promise<Image> {
    const request = await this.succeed('images/process', { source, operations, output: { format } })
    return await this.pixels(request)
  }

  /** Returns the pixels of a result. If the result is not a PNG, the service first converts it. */
  async pixels(request: Json): Promise<Image> {
    if (request.result.files[0].format === 'png') return decodePng(await this.file(request))
    const body = { source: request.result.files[0].url, operations: [{ type: 'flip' }], output: { format: 'png' } }
    return decodePng(await this.file(await this.succeed('images/process', body)))
  }

  /** Starts a request that takes several seconds: its source does not respond, or its operations are slow. */
  async open(options: CallOptions = {}): Promise<Json> {
    if (this.#receiver !== undefined) {
      const { url } = this.#receiver.open(() => undefined)
      return await this.start('images/read', { source: url }, options)
    }
    const operations = Array.from({ length: 20 }, (_, index) => ({ type: 'resize', width: 8000 - index, height: 8000 }))
    return await this.start(
      'images/process',
      { source: this.sample('photo.jpg'), operations, output: { format: 'png' } },
      options,
    )
  }

  async abort(id: number, options: CallOptions = {}): Promise<CallResponse> {
    return await this.call('POST', `/v1/requests/${id}/abort`, options)
  }
}
