import type { IncomingMessage, ServerResponse } from 'node:http'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { startHttpServer } from '../support/http-server.ts'
import type { Random } from '../support/random.ts'

const S3_FAULTS = {
  failed: () => true,
  'failed after all': ({ method }: IncomingMessage) => method !== 'GET' && method !== 'HEAD',
  'slow down': () => true,
  /** The call gets no response for several seconds. Then the connection is closed. */
  stall: () => true,
  'cut body': ({ method }: IncomingMessage) => method === 'GET',
  /** The file is truncated, but `Content-Length` matches the truncated file. */
  'wrong length': (call: IncomingMessage) => call.method === 'GET' && !isListing(call),
  'slow delete': ({ method }: IncomingMessage) => method === 'DELETE',
} as const

type S3Fault = keyof typeof S3_FAULTS

/** A proxy to an S3 server. The proxy injects errors, but never into calls with signed links. */
export type FaultyS3 = AsyncDisposable & {
  endpoint: string
  misbehave: (percent: number) => void
  counts: Map<S3Fault, number>
  openUploads: () => string[]
}

const STALL_MS = 3_000
const SLOW_DELETE_MS = 4_000

const SLOW_DOWN = errorXml('SlowDown', 'Please reduce your request rate.')
const INTERNAL = errorXml('InternalError', 'We encountered an internal error. Please try again.')

export async function openFaultyS3(target: string, random: Random): Promise<FaultyS3> {
  const { hostname, port } = new URL(target)
  const counts = new Map<S3Fault, number>()
  const uploads = new Map<string, { key: string; at: Date }>()
  const deleted: string[] = []
  let percent = 0

  function draw(call: IncomingMessage): S3Fault | undefined {
    if (percent === 0 || /X-Amz-Signature/.test(call.url ?? '') || !random.chance(percent / 100)) return undefined
    const fitting = (Object.keys(S3_FAULTS) as S3Fault[]).filter((name) => S3_FAULTS[name](call))
    // Prefer errors that have not happened yet, because some kinds of calls are rare.
    const fresh = fitting.filter((name) => !counts.has(name))
    const [first = 'failed', ...others] = fresh.length > 0 ? fresh : fitting
    const fault = random.pick([first, ...others])
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    return fault
  }

  async function handleCall(call: IncomingMessage, to: ServerResponse): Promise<void> {
    const fault = draw(call)
    if (fault === 'stall') {
      await delay(STALL_MS)
      return void call.socket.destroy()
    }
    if (fault === 'slow delete') await delay(SLOW_DELETE_MS)
    const sent = await buffer(call)
    if (fault === 'failed') return void to.writeHead(500, XML).end(INTERNAL)
    if (fault === 'slow down') return void to.writeHead(503, XML).end(SLOW_DOWN)
    if (isUploadListing(call)) return void to.writeHead(200, XML).end(listUploads())
    // s3rver cannot abort a multipart upload, so the proxy responds.
    const ended = new URL(call.url ?? '/', target).searchParams.get('uploadId')
    if (call.method === 'DELETE' && ended !== null) return void to.writeHead(uploads.delete(ended) ? 204 : 404).end()
    const { status, headers, body } = await forward(call, sent)
    note(call, status, body)
    if (fault === 'failed after all') return void to.writeHead(500, XML).end(INTERNAL)
    const half = body.subarray(0, Math.floor(body.length / 2))
    if (fault === 'cut body') {
      to.writeHead(status, { ...headers, 'content-length': body.length })
      to.write(half, () => call.socket.destroy())
      return
    }
    const shown = fault === 'wrong length' ? half : isListing(call) ? withDeleted(body) : body
    to.writeHead(status, call.method === 'HEAD' ? headers : { ...headers, 'content-length': shown.length }).end(shown)
  }

  function forward(call: IncomingMessage, sent: Buffer) {
    return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
      const { method, url, headers } = call
      const there = request({ hostname, port, method, path: url, headers, agent: false }, (from) => {
        buffer(from).then((body) => {
          const { 'transfer-encoding': _, connection: __, ...kept } = from.headers as Record<string, string>
          resolve({ status: from.statusCode ?? 500, headers: kept, body })
        }, reject)
      })
      there.on('error', reject)
      there.end(sent)
    })
  }

  /** Records open multipart uploads, and deleted files for `withDeleted`. */
  function note(call: IncomingMessage, status: number, body: Buffer): void {
    if (status >= 300) return
    const { pathname, searchParams } = new URL(call.url ?? '/', target)
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const uploadId = searchParams.get('uploadId')
    if (call.method === 'POST' && searchParams.has('uploads')) {
      const [, id = ''] = /<UploadId>([^<]*)</.exec(body.toString()) ?? []
      uploads.set(id, { key, at: new Date() })
    } else if (uploadId !== null && (call.method === 'POST' || call.method === 'DELETE')) uploads.delete(uploadId)
    else if (call.method === 'DELETE') deleted.push(key)
  }

  function listUploads(): string {
    const each = [...uploads].map(
      ([id, { key, at }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at.toISOString()}</Initiated></Upload>`,
    )
    return `<?xml version="1.0"?><ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${each.join('')}</ListMultipartUploadsResult>`
  }

  /** Adds the last deleted file to a listing, as a store with eventual consistency does. */
  function withDeleted(body: Buffer): Buffer {
    const last = deleted.at(-1)
    if (last === undefined || percent === 0) return body
    const entry = `<Contents><Key>${last}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified><Size>1</Size></Contents>`
    return Buffer.from(body.toString().replace('</ListBucketResult>', `${entry}</ListBucketResult>`))
  }

  const server = await startHttpServer((call, to) => {
    handleCall(call, to).catch(() => call.socket.destroy())
  })
  return {
    endpoint: server.url,
    misbehave(share) {
      percent = share
    },
    counts,
    openUploads: () => [...uploads.keys()],
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

const XML = { 'content-type': 'application/xml' }

const isListing = ({ method, url = '' }: IncomingMessage) => method === 'GET' && /[?&]list-type=2/.test(url)

const isUploadListing = ({ method, url = '' }: IncomingMessage) => method === 'GET' && /[?&]uploads(=|&|$)/.test(url)

function errorXml(code: string, message: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
}
