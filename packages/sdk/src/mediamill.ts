import { environmentVariable, isBrowser } from './environment.ts'
import { MediamillError } from './errors/mediamill-error.ts'
import type { UploadFile } from './files/resolve-sources.ts'
import { UploadedBlobs } from './files/uploaded-blobs.ts'
import { AccountResource, OperationsResource, UsageResource } from './resources/account.ts'
import { Events } from './resources/events.ts'
import type { Documents, Images, Videos } from './resources/media.ts'
import { Requests } from './resources/requests.ts'
import { Stamps } from './resources/stamps.ts'
import { Uploads, uploadBlob } from './resources/uploads.ts'
import { trimBaseUrl } from './transport/base-url.ts'
import { clockOf } from './transport/clock.ts'
import type { Transport } from './transport/transport.ts'
import { VERSION } from './version.ts'
import { createEndpoint } from './waiting/starter.ts'

/** How a client is set up. */
export type MediamillOptions = {
  /** Where the service is, with or without `/v1`; `MEDIAMILL_URL` by default. */
  baseUrl?: string | URL | undefined
  /** The key of the account; `MEDIAMILL_API_KEY` by default. */
  apiKey?: string | undefined
  /** What makes the calls; the runtime's own by default. */
  fetch?: typeof globalThis.fetch | undefined
  /** Tries after the first one where that helps; 2 by default. */
  maxRetries?: number | undefined
  /** How long one try may take; 30 seconds by default. */
  timeoutMs?: number | undefined
  /** Receives each warning of the service once, such as an ignored query parameter; `console.warn` by default. */
  onWarning?: ((message: string) => void) | undefined
  /** Allows a key in a browser, where whoever opens the page can read it. */
  dangerouslyAllowBrowser?: boolean | undefined
}

/**
 * A client of a Mediamill service.
 *
 * @example
 * const mediamill = new Mediamill({ baseUrl: 'https://media.example.com', apiKey: 'svc_test_…' })
 * const { result } = await mediamill.images.read({ source: 'https://example.com/photo.jpg' }).wait()
 */
export class Mediamill {
  /** What can be done with images. */
  readonly images: Images
  /** What can be done with videos, by accounts that have bought credit. */
  readonly videos: Videos
  /** What can be done with PDFs. */
  readonly documents: Documents
  /** The requests of the account. */
  readonly requests: Requests
  /** Files of yours that the service keeps for a day. */
  readonly uploads: Uploads
  /** Watermark images that are made of a text or a picture. */
  readonly stamps: Stamps
  /** The ends of the account's requests, in their order. */
  readonly events: Events
  /** The account that the key belongs to. */
  readonly account: AccountResource
  /** What the account has used. */
  readonly usage: UsageResource
  /** The operations that the service has. */
  readonly operations: OperationsResource

  constructor(options: MediamillOptions = {}) {
    const transport = createTransport(options)
    const blobs = new UploadedBlobs(
      transport.clock,
      async (file, signal) => (await uploadBlob(transport, file, { signal })).data,
    )
    const upload: UploadFile = async (file, signal) => await blobs.sourceOf(file, signal)
    const endpoint = <P extends object, R, S>(name: string) => createEndpoint<P, R, S>(transport, upload, name)
    this.images = { process: endpoint('images/process'), read: endpoint('images/read') }
    this.videos = {
      process: endpoint('videos/process'),
      read: endpoint('videos/read'),
      screenshot: endpoint('videos/screenshot'),
    }
    this.documents = {
      process: endpoint('documents/process'),
      read: endpoint('documents/read'),
      snapshot: endpoint('documents/snapshot'),
    }
    this.requests = new Requests(transport)
    this.uploads = new Uploads(transport, blobs)
    this.stamps = new Stamps(transport, upload)
    this.events = new Events(transport)
    this.account = new AccountResource(transport)
    this.usage = new UsageResource(transport)
    this.operations = new OperationsResource(transport)
  }
}

/** Passes each message on once. */
function onceEach(warn: (message: string) => void): (message: string) => void {
  const seen = new Set<string>()
  return (message) => {
    if (seen.has(message)) return
    seen.add(message)
    warn(message)
  }
}

function createTransport(options: MediamillOptions): Transport {
  const baseUrl = options.baseUrl ?? environmentVariable('MEDIAMILL_URL')
  if (baseUrl === undefined) throw new MediamillError('No base URL: give `baseUrl`, or set MEDIAMILL_URL.')
  if (!/^https?:/i.test(String(baseUrl)) || !URL.canParse(String(baseUrl))) {
    throw new MediamillError(`The base URL is not a URL such as https://media.example.com: ${String(baseUrl)}`)
  }
  const apiKey = options.apiKey ?? environmentVariable('MEDIAMILL_API_KEY')
  if (!apiKey) throw new MediamillError('No key: give `apiKey`, or set MEDIAMILL_API_KEY.')
  const inBrowser = isBrowser()
  if (inBrowser && options.dangerouslyAllowBrowser !== true) {
    throw new MediamillError(
      'Whoever opens this page could read the key. Send files from it with sendUpload() and a signed URL, ' +
        'or set `dangerouslyAllowBrowser` and use a key that you can lose.',
    )
  }
  return {
    baseUrl: trimBaseUrl(String(baseUrl)),
    apiKey,
    // Browsers send their own, and ask before they send another.
    userAgent: inBrowser ? undefined : `mediamill-sdk/${VERSION}`,
    fetch: options.fetch ?? (async (...given) => await globalThis.fetch(...given)),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 2,
    clock: clockOf(options),
    // oxlint-disable-next-line no-console -- a program that misuses the API must see it without setting anything up.
    warn: onceEach(options.onWarning ?? ((message) => console.warn(`Mediamill: ${message}`))),
  }
}
