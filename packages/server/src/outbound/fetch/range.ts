import type { IncomingMessage } from 'node:http'
import type { ReceivedResponse } from '../send.ts'
import { openDeadline, openSource, unreachable } from './fetch.ts'
import type { StreamOptions } from './stream-body.ts'
import { streamBody, tooLarge } from './stream-body.ts'

type WritePart = (batch: readonly Buffer[]) => Promise<void>

export type RangeOptions = StreamOptions & {
  deadlineMs: number
}

export type FileVersion = {
  total: number
  validator: string | undefined
}

type RangeResponse =
  /** If `write` received the bytes, `data` is empty. */
  { kind: 'part'; data: Buffer; length: number; version: FileVersion } | { kind: 'whole'; received: ReceivedResponse }

/**
 * Fetches a range of a file. Without range support, opens the whole file. Throws `source_unreachable` if the file is
 * not of version `of`.
 */
export async function fetchRange(
  url: string,
  part: { offset: number; length: number; of?: FileVersion; write?: WritePart },
  options: RangeOptions,
): Promise<RangeResponse> {
  using deadline = openDeadline(options)
  const bounded = { ...options, signal: deadline.signal }
  const range = `bytes=${part.offset}-${part.offset + part.length - 1}`
  const ifRange = part.of?.validator
  const headers = { ...options.headers, range, ...(ifRange !== undefined && { 'if-range': ifRange }) }
  const received = await openSource(url, { ...bounded, headers }, (status) => PART_STATUSES.has(status))
  const { response } = received
  if (response.statusCode === 200) return whole(received, part.of, options)
  const span = spanOf(response, part)
  if (span === undefined) {
    // The server sent another range, or compressed it.
    response.destroy()
    return whole(await openSource(url, bounded), part.of, options)
  }
  const version = { total: span.total, validator: validatorOf(response) }
  // security check: ranges of two versions of a file
  if (!isSame(part.of, version)) throw changed(response, options)
  // security check: a range of a file over the limit
  if (version.total > options.maxBytes) {
    response.destroy()
    throw tooLarge(options, version.total)
  }
  const data = await readPart(received, span.length, bounded, part.write)
  return { kind: 'part', data, length: span.length, version }
}

const PART_STATUSES: ReadonlySet<number> = new Set([200, 206, 416])

function whole(response: ReceivedResponse, of: FileVersion | undefined, options: RangeOptions): RangeResponse {
  // If the requested version no longer exists, the server sends the whole new file (RFC 9110, 13.1.5).
  if (of !== undefined && validatorOf(response.response) !== of.validator) throw changed(response.response, options)
  return { kind: 'whole', received: response }
}

function spanOf(
  response: IncomingMessage,
  part: { offset: number; length: number },
): { length: number; total: number } | undefined {
  const header = response.headers['content-range'] ?? ''
  if (response.statusCode === 416) {
    const total = /^bytes \*\/(\d{1,15})$/i.exec(header)?.[1]
    return total === undefined || Number(total) > part.offset ? undefined : { length: 0, total: Number(total) }
  }
  const encoding = response.headers['content-encoding'] ?? 'identity'
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(header)
  if (match === null || encoding.toLowerCase() !== 'identity') return undefined
  const [start = 0, end = 0, total = 0] = match.slice(1).map(Number)
  const length = end - start + 1
  // security check: another range than the requested one
  if (start !== part.offset || length < 1 || length > part.length || end >= total) return undefined
  return { length, total }
}

async function readPart(
  response: ReceivedResponse,
  length: number,
  options: StreamOptions,
  write: WritePart | undefined,
): Promise<Buffer> {
  if (length === 0) {
    response.body.destroy()
    return Buffer.alloc(0)
  }
  const batched: Buffer[] = []
  let bytes = 0
  await streamBody(response, { ...options, maxBytes: Number.MAX_SAFE_INTEGER }, async (batch) => {
    for (const chunk of batch) bytes += chunk.length
    // security check: a range with more bytes than announced
    if (bytes > length) throw unreachable(options, 'its server sent more than it announced')
    if (write === undefined) batched.push(...batch)
    else await write(batch)
  })
  // security check: a range with fewer bytes than announced
  if (bytes < length) throw unreachable(options, 'its server sent less than it announced')
  return Buffer.concat(batched)
}

/** Identifies the version of a file. A weak `ETag` may stay equal for new bytes (RFC 9110, 13.1.5). */
function validatorOf(response: IncomingMessage): string | undefined {
  const { etag } = response.headers
  return etag?.startsWith('"') === true ? etag : response.headers['last-modified']
}

function isSame(of: FileVersion | undefined, version: FileVersion): boolean {
  if (of === undefined) return true
  if (of.total !== version.total) return false
  // A 416 response may have no validator.
  return of.validator === version.validator || of.validator === undefined || version.validator === undefined
}

function changed(response: IncomingMessage, options: RangeOptions): Error {
  response.destroy()
  return unreachable(options, 'it changed while it was read')
}
