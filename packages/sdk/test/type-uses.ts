import type { Catalog, DownloadableFile, Failure, Mediamill, MediaRequest, Money, UsageBy } from '@mediamill/sdk'
import { RequestFailedError, sendUpload, WaitTimeoutError } from '@mediamill/sdk'
import type { WebhookEvent } from '@mediamill/sdk/webhooks'
import { generateTestHeaders, unwrap } from '@mediamill/sdk/webhooks'

// `npm run try:sdk` compiles this file against the packed library with several versions of TypeScript. It never runs.

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(_is?: T): void => {}

export async function use(mediamill: Mediamill, event: WebhookEvent): Promise<void> {
  const made = await mediamill.images
    .process({ source: new URL('https://example.com/a.jpg'), operations: [{ type: 'orient' }] })
    .wait({ onProgress: (request) => void (request.status === 'processing' && request.progress) })
  same<Equal<typeof made.status, 'succeeded'>>()
  same<Equal<typeof made.result.data.width, number>>()
  const [file] = made.result.files
  same<Equal<typeof file, DownloadableFile>>()
  await file.save('a.jpg')
  new Blob([await file.bytes()])

  const queued = await mediamill.videos.screenshot({ source: new Blob([]), seconds: 1, output: { format: 'png' } })
  if (queued.status === 'succeeded') await queued.result.files[0]?.blob()
  if (queued.status === 'failed') same<Equal<typeof queued.error, Failure>>()

  const request = await mediamill.requests.retrieve(1)
  if (request.status === 'succeeded' && request.endpoint === 'videos/read') {
    same<Equal<typeof request.result.data.duration, number>>()
  }
  for await (const { id } of mediamill.requests.list({ status: 'failed', metadata: { order: '1' } })) {
    same<Equal<typeof id, number>>()
  }
  const usage = await mediamill.usage.retrieve({ group_by: 'customer' })
  same<Equal<typeof usage, UsageBy<'customer'>>>()
  const catalog: Catalog = await mediamill.operations.list()
  const price: Money | null = (await mediamill.documents.read.estimate({ source: 'https://example.com' })).price.maximum
  const { data, response, requestId } = await mediamill.account.retrieve().withResponse()
  same<Equal<typeof requestId, string | undefined>>()
  void [catalog, price, data.id, response.status]

  // Types of responses accept values that a later version adds. Types of parameters do not.
  const code: Failure['code'] = 'added_later'
  // @ts-expect-error -- there is no such operation
  void mediamill.images.process({ source: 'https://example.com', operations: [{ type: 'no_such_thing' }] })
  // @ts-expect-error -- a template stores the operations
  void mediamill.images.process({ source: 'https://example.com', template: 'a', operations: [] })
  void mediamill.images.process({ source: new DataView(new ArrayBuffer(8)), template: 'a', variables: { width: 8 } })
  const templates = mediamill.batch([new Blob([])], { endpoint: 'images/process', template: 'a' })
  for await (const one of templates) if (one.ok) same<Equal<typeof one.request.result.data.width, number>>()
  // @ts-expect-error -- a bare text is no body of bytes
  void mediamill.uploads.create('text')
  // @ts-expect-error -- required
  void mediamill.videos.screenshot({ source: 'https://example.com' })

  const upload = await mediamill.uploads.create(new Blob([]))
  await mediamill.documents.process({
    source: upload,
    operations: [{ type: 'watermark', image_url: new Blob([]), x: 0, y: 0 }],
  })
  const { upload_url: url } = await mediamill.uploads.create({ size: 3, origin: 'https://app.example.com' })
  await sendUpload(url, new Blob(['abc']))

  const received = await unwrap('{}', await generateTestHeaders({ body: '{}', secret: 'whsec_AAAA' }), ['whsec_AAAA'])
  if (received.type === 'request.failed') same<Equal<typeof received.data.status, 'failed'>>()
  if (event.type === 'request.succeeded') void mediamill.requests.from(event.data).result.files[0]?.blob
  const any: MediaRequest = event.data
  try {
    await mediamill.requests.wait(any.id)
  } catch (error) {
    if (error instanceof RequestFailedError && error.code === 'source_too_large') void error.request.error.message
    if (error instanceof WaitTimeoutError) void error.request?.id
  }
  void code
  // @ts-expect-error -- internal
  void mediamill.uploads.sourceOf
  // @ts-expect-error -- internal
  void new Mediamill({}, { now: () => 0 })
}
