import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'

/** Signing keys derived from `SECRET_KEY`. The newest key signs, and all keys are accepted. */
export type LinkKeys = { result: readonly Buffer[]; file: readonly Buffer[]; upload: readonly Buffer[] }

/** The result of checking a link. An invalid signature takes precedence over an expired link (results.links.2). */
export type LinkVerdict = 'valid' | 'invalid_signature' | 'expired'

/**
 * Derives the keys from the current `SECRET_KEY` and its predecessors, newest first.
 *
 * Each use has its own label (HKDF, RFC 5869), so that a signature for one use is invalid for another.
 */
export function deriveLinkKeys(secrets: readonly [string, ...string[]]): LinkKeys {
  const derive = (label: string) =>
    // security check: a signature of one kind of link used for another
    secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `mediamill ${label} 1`, 32)))
  return { result: derive('result link'), file: derive('file link'), upload: derive('upload link') }
}

/** A file of a request's result. `file` is the name of its output; missing: the first file. */
export type LinkedFile = { id: string | RequestId; file?: string | undefined }

/**
 * The signed download link of a file of a request's result (results.links.1). It works until `expires`. `file` is the
 * name of a further file (outputs.files.2).
 */
export function resultUrl(keys: LinkKeys, baseUrl: string, id: RequestId, expires: Date, file?: string): string {
  const seconds = unixSeconds(expires)
  const signature = sign(keys.result, [...fieldsOf({ id, file }), seconds])
  const named = file === undefined ? '' : `file=${file}&`
  return `${baseUrl}/v1/results/${id}?${named}expires=${seconds}&signature=${signature}`
}

/** The signed fields of a link. The link of a further file signs one field more, so no link is valid for another file. */
const fieldsOf = ({ id, file }: LinkedFile): string[] => [String(id), ...(file === undefined ? [] : [file])]

/**
 * Returns whether a link's `expires` matches the deletion time of these files. If it differs, the files were deleted
 * early, or another request now has the number: a restored backup or a lagging standby can reuse numbers.
 */
export function isTimeOf(deletedAt: Date, expires: string | undefined): boolean {
  return Number(expires) === unixSeconds(deletedAt)
}

export function verifyResult(
  keys: LinkKeys,
  link: LinkedFile & { expires: unknown; signature: unknown },
  now: Date,
): LinkVerdict {
  // security check: a link of one file used for another
  return verify(keys.result, fieldsOf(link), link.expires, link.signature, now)
}

/**
 * Returns the id, the file, and the time if a text is a valid result link of this service, or `undefined`.
 *
 * It compares text: a link that a parser would repair or shorten is not a link of this service.
 */
export function ownResult(
  keys: LinkKeys,
  baseUrl: string,
  url: string,
  now: Date,
): { id: string; file: string | undefined; expires: string } | undefined {
  const start = `${baseUrl}/v1/results/`
  // security check: a link of another host
  if (!url.startsWith(start)) return undefined
  const [, id, file, expires, signature] =
    /^([1-9]\d{0,15})\?(?:file=([a-z0-9_-]{1,64})&)?expires=(\d{1,12})&signature=([0-9a-f]{64})$/.exec(
      url.slice(start.length),
    ) ?? []
  if (id === undefined || expires === undefined) return undefined
  // security check: a result as a source without its link
  return verifyResult(keys, { id, file, expires, signature }, now) === 'valid' ? { id, file, expires } : undefined
}

/** The signed URL for sending an upload (uploads.create.2). It works until `expires`. */
export function uploadUrl(keys: LinkKeys, baseUrl: string, id: string, expires: Date): string {
  const seconds = unixSeconds(expires)
  return `${baseUrl}/v1/uploads/${id}/content?expires=${seconds}&signature=${sign(keys.upload, [id, seconds])}`
}

export function verifyUpload(
  keys: LinkKeys,
  link: { id: string; expires: unknown; signature: unknown },
  now: Date,
): LinkVerdict {
  return verify(keys.upload, [link.id], link.expires, link.signature, now)
}

/** A file that the service serves itself. `name` is the file name for browsers. */
export type FileLink = { key: string; name: string; sha256: string }

/**
 * Returns the path and query that serve one file until `expires`. A download link redirects there.
 *
 * The same file always has the same path, so that browsers can cache it.
 */
export function filePath(keys: LinkKeys, file: FileLink, expires: Date): string {
  const seconds = unixSeconds(expires)
  const signature = sign(keys.file, [file.key, file.name, file.sha256, seconds])
  return `/v1/files/${file.key}/${encodeURIComponent(file.name)}?sha256=${file.sha256}&expires=${seconds}&signature=${signature}`
}

export function verifyFile(
  keys: LinkKeys,
  link: { key: string; name: string; sha256: unknown; expires: unknown; signature: unknown },
  now: Date,
): LinkVerdict {
  // security check: a signature of one file used for another
  return verify(keys.file, [link.key, link.name, String(link.sha256)], link.expires, link.signature, now)
}

function verify(
  keys: readonly Buffer[],
  fields: readonly string[],
  expires: unknown,
  signature: unknown,
  now: Date,
): LinkVerdict {
  if (typeof expires !== 'string' || typeof signature !== 'string') return 'invalid_signature'
  const given = Buffer.from(signature)
  // security check: a signature guessed by the key that rejects it
  const isRight = keys
    .map((key) => {
      const expected = Buffer.from(sign([key], [...fields, expires]))
      // security check: a signature guessed byte by byte
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    .includes(true)
  // security check: a forged signature
  if (!isRight) return 'invalid_signature'
  // security check: an expired link
  return unixSeconds(now) >= Number(expires) ? 'expired' : 'valid'
}

/**
 * Signs fields, separated by line feeds. No field contains a line feed, so different lists never give the same text.
 */
function sign(keys: readonly Buffer[], fields: readonly (string | number)[]): string {
  const [newest] = keys
  if (newest === undefined) throw new RangeError('no key to sign links with')
  return createHmac('sha256', newest).update(fields.join('\n')).digest('hex')
}

export const unixSeconds = (date: Date) => Math.floor(date.getTime() / 1000)
