import type { NewAccount } from '@mediamill/server/accounts/create-account'
import type { Environment } from '../chaos/environment.ts'

type Job = { endpoint: string; body: (soak: Mix) => Record<string, unknown> }

const resize = [{ type: 'orient' }, { type: 'resize', width: 640, height: 640 }]
const process = (source: string, operations: readonly object[], more: object = {}): Job => ({
  endpoint: 'images/process',
  body: ({ sample }) => ({ source: sample(source), operations, ...more }),
})
const on = (endpoint: string, source: string, more: object = {}): Job => ({
  endpoint,
  body: ({ sample }) => ({ source: sample(source), ...more }),
})

/** The requests of the test. The test repeats them in this order, so that its load does not change. */
const JOBS: readonly Job[] = [
  process('photo.jpg', resize),
  on('images/read', 'portrait.jpg'),
  process('product.jpg', [{ type: 'remove_background', tolerance: 8 }], { output: { format: 'png' } }),
  on('documents/snapshot', 'report.pdf', { page: 2 }),
  process('phone.heic', resize, { output: { format: 'webp' } }),
  on('videos/read', 'clip.mp4'),
  process('photo.jpg', [{ type: 'filter', name: 'valencia' }]),
  on('images/read', 'animation.gif'),
  {
    endpoint: 'documents/process',
    body: ({ sample }) => ({ source: sample('report.pdf'), operations: [mark(sample)] }),
  },
  process('animation.gif', [{ type: 'resize', width: 160, height: 160 }], { output: { format: 'gif' } }),
  on('videos/screenshot', 'clip.mp4', { seconds: 1 }),
  {
    endpoint: 'images/process',
    body: ({ sample }) => ({ source: sample('portrait.jpg'), operations: [...resize, mark(sample)] }),
  },
  on('documents/read', 'report.pdf'),
  {
    endpoint: 'images/process',
    body: ({ environment }) => ({ source: environment.sources('large'), operations: resize }),
  },
  on('documents/snapshot', 'report.pdf'),
  { endpoint: 'images/read', body: ({ environment }) => ({ source: environment.sources('small') }) },
  {
    endpoint: 'images/process',
    body: ({ environment }) => ({ source: environment.sources('damaged'), operations: resize }),
  },
  process('scan.jpg', [{ type: 'grayscale' }, { type: 'compress', quality: 40 }]),
  { endpoint: 'images/process', body: ({ upload }) => ({ source: upload(), operations: resize }) },
  {
    endpoint: 'videos/process',
    body: ({ sample }) => ({ source: sample('clip.mp4'), operations: [{ type: 'resize', width: 320, height: 180 }] }),
  },
]

const mark = (sample: Mix['sample']) => ({ type: 'watermark', image_url: sample('logo.png'), x: 20, y: 20 })

type Mix = { environment: Environment; sample: (name: string) => string; upload: () => string }

export class Caller {
  readonly faults: string[] = []
  #sent = 0
  #uploaded = ''
  readonly #environment: Environment
  readonly #url: string
  readonly #mix: Mix

  constructor(environment: Environment, url: string, baseUrl: string) {
    this.#environment = environment
    this.#url = url
    this.#mix = { environment, sample: (name) => `${baseUrl}/docs/samples/${name}`, upload: () => this.#uploaded }
  }

  get sent(): number {
    return this.#sent
  }

  /** Sends the next request. With `waits`, uses a long poll, so that the response arrives when the request is final. */
  async next(waits = false): Promise<void> {
    const number = this.#sent
    this.#sent += 1
    const account = this.#environment.accounts[number % this.#environment.accounts.length]
    const job = JOBS[number % JOBS.length]
    if (account === undefined || job === undefined)
      throw new RangeError('the soak test requires at least one account and one job')
    if (number % JOBS.length === 0) await this.#upload(account)
    const body = {
      ...job.body(this.#mix),
      ...(number % 3 === 0 && { webhook_url: this.#environment.webhookUrl }),
      metadata: { intent: String(number) },
    }
    const isHeld = waits || number % 4 === 0
    const headers = { 'idempotency-key': `soak-${number}`, ...(isHeld && { prefer: 'wait=55' }) }
    const response = await this.#call('POST', `/v1/${job.endpoint}`, account, headers, JSON.stringify(body))
    if (number % 5 === 0) await this.#look(account, (JSON.parse(response) as { id: number }).id)
  }

  async #look(account: NewAccount, id: number): Promise<void> {
    for (const path of [
      `/v1/requests/${id}`,
      '/v1/requests?limit=20',
      '/v1/usage',
      '/v1/account',
      `/v1/events?request_id=${id}`,
    ]) {
      await this.#call('GET', path, account)
    }
  }

  async #upload(account: NewAccount): Promise<void> {
    const { small } = this.#environment.files
    // An upload belongs to one account, so upload with the account of the request that will use the upload.
    const owner =
      this.#environment.accounts[
        (this.#sent - 1 + JOBS.findIndex(({ body }) => body.toString().includes('upload()'))) %
          this.#environment.accounts.length
      ]
    const response = await this.#call('POST', '/v1/uploads', owner ?? account, { 'content-type': 'image/jpeg' }, small)
    this.#uploaded = (JSON.parse(response) as { source: string }).source
  }

  async #call(
    method: string,
    path: string,
    account: NewAccount,
    headers: Record<string, string> = {},
    body?: string | Buffer,
  ): Promise<string> {
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: {
          authorization: `Bearer ${account.liveKey}`,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      })
      const text = await response.text()
      if (!response.ok) this.faults.push(`${method} ${path} returned ${response.status}: ${text.slice(0, 200)}`)
      return text === '' ? '{}' : text
    } catch (error) {
      this.faults.push(`${method} ${path} got no response: ${String(error)}`)
      return '{}'
    }
  }
}
