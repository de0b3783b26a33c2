import type * as Sdk from '../src/index.ts'
import type * as Webhooks from '../src/webhooks.ts'

/** The settings of the suite, as JSON. */
export type SuiteSettings = {
  baseUrl: string
  apiKey: string
  /** The sample photo as base64, because some runtimes cannot read files. */
  photo: string
  /** A folder that the suite may write to, if the runtime has a file system. */
  folder?: string | undefined
}

type SuiteParts = { sdk: typeof Sdk; webhooks: typeof Webhooks; settings: SuiteSettings }

export type Verdict = { name: string; error?: string }

type Check = (
  context: SuiteParts & { client: Sdk.Mediamill; photo: Blob; sha256: (bytes: Sdk.Bytes) => Promise<string> },
) => Promise<void>

export async function runSuite(parts: SuiteParts): Promise<Verdict[]> {
  const { sdk, settings } = parts
  const { baseUrl, apiKey } = settings
  const client = new sdk.Mediamill({ baseUrl, apiKey, dangerouslyAllowBrowser: true })
  const photo = new Blob([Uint8Array.from(atob(settings.photo), (character) => character.charCodeAt(0))])
  const verdicts: Verdict[] = []
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check({ ...parts, client, photo, sha256 })
      verdicts.push({ name })
    } catch (error) {
      verdicts.push({
        name,
        error: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error),
      })
    }
  }
  return verdicts
}

function expect(holds: unknown, message: string): asserts holds {
  if (holds !== true) throw new Error(`expected: ${message}`)
}

async function sha256(bytes: Sdk.Bytes): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function thrownBy(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('expected: it throws')
}

const CHECKS: Record<string, Check> = {
  async 'a Blob is uploaded, processed, waited for and downloaded'({ client, photo, sha256 }) {
    const states: string[] = []
    const request = await client.images
      .process({
        source: photo,
        operations: [
          { type: 'resize', width: 90, height: 90 },
          { type: 'watermark', image_url: photo, x: 80, y: 0 },
        ],
        output: { format: 'webp' },
      })
      .wait({ onProgress: ({ status }) => states.push(status) })
    expect(request.status === 'succeeded' && states.at(-1) === 'succeeded', 'it succeeded')
    expect(request.result.data.height === 90, 'it is 90 high')
    const [file] = request.result.files
    const bytes = await file.bytes()
    expect(bytes.length === file.size && (await sha256(bytes)) === file.sha256, 'all bytes')
    const blob = await file.blob()
    expect(blob.type === 'image/webp' && blob.size === bytes.length, 'a blob of its type')
    const streamed = await new Response(file.stream()).arrayBuffer()
    expect(streamed.byteLength === bytes.length, 'a stream')
    expect(!JSON.stringify(request).includes('transport'), 'JSON as on the wire')
  },

  async 'a file is opened and saved where there are files, and else refused in words'({
    sdk,
    client,
    photo,
    settings,
  }) {
    const { result } = await client.documents.snapshot({ source: `${settings.baseUrl}/docs/samples/report.pdf` }).wait()
    if (settings.folder === undefined) {
      const rejected = await thrownBy(result.files[0].save('photo.jpg'))
      expect(rejected instanceof sdk.MediamillError, 'save() says that there are no files')
      expect((await thrownBy(sdk.openFile('photo.jpg'))) instanceof sdk.MediamillError, 'openFile() does as well')
      return
    }
    const path = `${settings.folder}/page ${crypto.randomUUID()}.jpg`
    await result.files[0].save(path)
    const opened = await sdk.openFile(path)
    expect(opened.size === result.files[0].size, 'the file is whole')
    const read = await client.images.read({ source: opened }).wait()
    expect(read.result.data.format === 'JPEG' && photo.size > 0, 'it can be a source')
    expect((await thrownBy(sdk.openFile(`${path}.none`))) instanceof sdk.MediamillError, 'a missing file is an error')
  },

  async 'what is too large for one call is sent in pieces, and used'({ client, photo }) {
    const large = new Blob([photo, new Uint8Array(18 * 1024 * 1024)])
    const seen: number[] = []
    const upload = await client.uploads.create(large, { onProgress: (sent) => seen.push(sent) })
    expect(upload.status === 'complete' && upload.size === large.size && seen.length > 2, 'it arrived in pieces')
    const { result } = await client.images.read({ source: upload }).wait()
    expect(result.data.format === 'JPEG', 'it can be a source')
    expect((await client.uploads.retrieve(upload.id)).status === 'complete', 'it can be read')
    expect((await client.uploads.delete(upload.id)).deleted, 'it can be deleted')
  },

  async 'refusals and failures are errors of their classes'({ sdk, client, settings }) {
    const invalid = await thrownBy(client.images.process({ source: 'https://localhost/', operations: [] }))
    expect(invalid instanceof sdk.InvalidRequestError && invalid.param === 'operations', 'a wrong field')
    expect(sdk.isMediamillError(invalid) && (invalid.requestId ?? '').startsWith('req_'), 'the id of the call')
    const failed = await thrownBy(client.images.read({ source: new Blob(['text']) }).wait())
    expect(failed instanceof sdk.RequestFailedError && failed.code === 'unsupported_media', 'a failed request')
    expect((await thrownBy(client.requests.retrieve(999_999))) instanceof sdk.NotFoundError, 'not found')
    const stranger = new sdk.Mediamill({ ...settings, apiKey: 'svc_test_no', dangerouslyAllowBrowser: true })
    expect((await thrownBy(stranger.account.retrieve())) instanceof sdk.AuthenticationError, 'a wrong key')
    const nowhere = new sdk.Mediamill({
      ...settings,
      baseUrl: 'http://127.0.0.1:9',
      maxRetries: 0,
      dangerouslyAllowBrowser: true,
    })
    expect((await thrownBy(nowhere.account.retrieve())) instanceof sdk.ConnectionError, 'no service')
  },

  async 'the same idempotency key is the same request, and a wait takes it up'({ client, photo }) {
    const idempotencyKey = crypto.randomUUID()
    const first = await client.images.read({ source: photo }, { idempotencyKey })
    const second = await client.images.read({ source: photo }, { idempotencyKey })
    expect(first.id === second.id, 'one request')
    const { status } = await client.requests.wait(first.id)
    expect(status === 'succeeded', 'it succeeds')
    const again = await thrownBy(client.requests.abort(first.id))
    expect((again as { code?: string }).code === 'request_finished', 'a finished one cannot be aborted')
    const deleted = await client.requests.deleteFiles(first.id)
    expect(deleted.id === first.id, 'its files can be deleted')
  },

  async 'a list is iterated over its pages, and told with its response'({ client }) {
    const ids: number[] = []
    for await (const { id } of client.requests.list({ limit: 1 })) if (ids.push(id) === 3) break
    expect(ids.length === 3 && new Set(ids).size === 3, 'three pages')
    const { data, response, requestId } = await client.requests
      .list({ limit: 2, metadata: { no: 'such' } })
      .withResponse()
    expect(data.data.length === 0 && response.status === 200 && requestId !== undefined, 'a filter and a response')
  },

  async 'a signal ends the wait and aborts the request'({ client, settings }) {
    const controller = new AbortController()
    const started = client.videos.process({
      source: `${settings.baseUrl}/docs/samples/clip.mp4`,
      operations: [{ type: 'resize', width: 1920, height: 1080 }],
    })
    const { id } = await started
    const waiting = started.wait({ signal: controller.signal })
    controller.abort(new Error('enough'))
    const error = await thrownBy(waiting)
    expect(error instanceof Error && error.message === 'enough', 'the reason of the signal')
    expect((await client.requests.retrieve(id)).status === 'aborted', 'it is aborted')
  },

  async 'a stamp is made and used, and a request is followed to its end'({ client, photo }) {
    const stamp = await client.stamps.create({ type: 'text', text: '© Jane Doe', size: 24 })
    const drawn = await client.stamps.create({ type: 'image', source: photo, width: 40 })
    expect(stamp.width > 0 && drawn.width === 40, 'they have a size')
    const { id } = await client.images.process({
      source: photo,
      operations: [{ type: 'watermark', image_url: stamp, x: 0, y: 0 }],
    })
    const states: string[] = []
    for await (const { status } of client.requests.events(id)) states.push(status)
    expect(states.at(-1) === 'succeeded' && new Set(states).size === states.length, 'each state once, to the end')
  },

  async 'events are listed, and followed as they happen'({ client, photo }) {
    const { id } = await client.images.read({ source: photo }).wait()
    const [event] = (await client.events.list({ request_id: id })).data
    expect(event?.type === 'request.succeeded' && event.data.id === id, 'the event of a request')
    const next = await client.images.read({ source: photo })
    for await (const { data } of client.events.follow({ after: event.id })) if (data.id === next.id) break
  },

  async 'prices, account, usage and operations are read'({ client, photo }) {
    const { price } = await client.images.process.estimate({ source: photo, operations: [{ type: 'orient' }] })
    expect(price.maximum?.currency === 'usd', 'a price')
    expect((await client.account.retrieve()).object === 'account', 'the account')
    const usage = await client.usage.retrieve({ group_by: 'endpoint' })
    expect(
      usage.data.some(({ endpoint }) => endpoint === 'images/process'),
      'usage by endpoint',
    )
    expect((await client.operations.list()).data.image.formats.includes('webp'), 'the catalog')
  },

  async 'a webhook is verified by both schemes'({ webhooks }) {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const body = '{"id":"evt_1","object":"event","type":"request.succeeded","created":1795276800,"data":{"id":17}}'
    const headers = await webhooks.generateTestHeaders({ body, secret })
    const event = await webhooks.unwrap(new TextEncoder().encode(body), new Headers(headers), ['whsec_AAAA', secret])
    expect(event.type === 'request.succeeded' && event.data.id === 17, 'the event')
    const changed = await thrownBy(webhooks.unwrap(body.replace('17', '18'), headers, secret))
    expect(changed instanceof webhooks.SignatureError, 'a changed body')
    expect(
      (await thrownBy(webhooks.unwrap(JSON.parse(body), headers, secret))) instanceof webhooks.SignatureError,
      'parsed',
    )
  },
}
