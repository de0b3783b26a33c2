import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'

/** Keys for signing, derived from `SECRET_KEY`: the newest signs, all are accepted. */
export type LinkKeys = { result: readonly Buffer[]; file: readonly Buffer[]; upload: readonly Buffer[] }

/** The worth of a link's signature at a moment. A wrong one is judged before an old one (rulings 8). */
export type LinkVerdict = 'valid' | 'invalid_signature' | 'expired'

/**
 * The lifetime of the address of the file itself. It is short, since a client follows its redirect at once (rulings 8).
 */
export const FILE_LINK_SECONDS = 60

/**
 * Derives the keys. `secrets` are the `SECRET_KEY` in force and those that it replaced, newest first.
 *
 * Each use has its own label (HKDF, RFC 5869), so that a signature for one is worthless for the other.
 */
export function deriveLinkKeys(secrets: readonly [string, ...string[]]): LinkKeys {
  const derive = (label: string) =>
    // wall: a signature of one kind of link on the other
    secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `mediamill ${label} 1`, 32)))
  return { result: derive('result link'), file: derive('file link'), upload: derive('upload link') }
}

/** The signed download link of a request's result (Spec 2.2): it works until `expires`. */
export function resultUrl(keys: LinkKeys, baseUrl: string, id: RequestId, expires: Date): string {
  const seconds = unixSeconds(expires)
  return `${baseUrl}/v1/results/${id}?expires=${seconds}&signature=${sign(keys.result, [id, seconds])}`
}

/**
 * Tells whether a link's `expires` is the time of these files. Another time means that they were deleted early, or that
 * the number is another request's now: a restored back-up, or a standby that was behind, gives lost numbers out again.
 */
export function isTimeOf(deletedAt: Date, expires: string | undefined): boolean {
  return Number(expires) === unixSeconds(deletedAt)
}

/** Judges the parts of a download link. They are the id of its path and its query parameters, as they came. */
export function verifyResult(
  keys: LinkKeys,
  link: { id: string; expires: unknown; signature: unknown },
  now: Date,
): LinkVerdict {
  return verify(keys.result, [link.id], link.expires, link.signature, now)
}

/**
 * Returns the id and the time of the request whose result link a text is. The link must be one that this service made and
 * that still works; else it is `undefined`.
 *
 * Compared as text: nothing that a parser would repair or leave out is one of ours.
 */
export function ownResult(
  keys: LinkKeys,
  baseUrl: string,
  url: string,
  now: Date,
): { id: string; expires: string } | undefined {
  const start = `${baseUrl}/v1/results/`
  // wall: a link of another host
  if (!url.startsWith(start)) return undefined
  const [, id, expires, signature] =
    /^([1-9]\d{0,15})\?expires=(\d{1,12})&signature=([0-9a-f]{64})$/.exec(url.slice(start.length)) ?? []
  if (id === undefined || expires === undefined) return undefined
  // wall: a result as a source without its link
  return verifyResult(keys, { id, expires, signature }, now) === 'valid' ? { id, expires } : undefined
}

/** The signed URL that an upload is sent to (rulings 17): it works until `expires`. */
export function uploadUrl(keys: LinkKeys, baseUrl: string, id: string, expires: Date): string {
  const seconds = unixSeconds(expires)
  return `${baseUrl}/v1/uploads/${id}/content?expires=${seconds}&signature=${sign(keys.upload, [id, seconds])}`
}

/** Judges the parts of such a URL as they came. */
export function verifyUpload(
  keys: LinkKeys,
  link: { id: string; expires: unknown; signature: unknown },
  now: Date,
): LinkVerdict {
  return verify(keys.upload, [link.id], link.expires, link.signature, now)
}

/** A file that the service serves by itself. `name` is what a browser saves it as. */
export type FileLink = { key: string; name: string; sha256: string }

/** Returns how many seconds a link to a file itself may live. It is no longer than the file lives, and never 0. */
export function fileLinkSeconds(now: Date, deletedAt: Date): number {
  return Math.max(1, Math.min(FILE_LINK_SECONDS, unixSeconds(deletedAt) - unixSeconds(now)))
}

/** Returns the path and query that serve one file for some seconds. A download link redirects there. */
export function filePath(keys: LinkKeys, file: FileLink, now: Date, seconds: number): string {
  // wall: an address of a file that lives on
  const expires = unixSeconds(now) + seconds
  const signature = sign(keys.file, [file.key, file.name, file.sha256, expires])
  return `/v1/files/${file.key}/${encodeURIComponent(file.name)}?sha256=${file.sha256}&expires=${expires}&signature=${signature}`
}

/** Judges the parts of a file's path as they came, percent-encoding taken off. */
export function verifyFile(
  keys: LinkKeys,
  link: { key: string; name: string; sha256: unknown; expires: unknown; signature: unknown },
  now: Date,
): LinkVerdict {
  // wall: a signature of one file on another
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
  // wall: a signature guessed by which key it fails at
  const isRight = keys
    .map((key) => {
      const expected = Buffer.from(sign([key], [...fields, expires]))
      // wall: a signature guessed byte by byte
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    .includes(true)
  // wall: a forged signature
  if (!isRight) return 'invalid_signature'
  // wall: a link after its time
  return unixSeconds(now) >= Number(expires) ? 'expired' : 'valid'
}

/** Fields are set apart by a line feed, which none of them holds, so that no two lists give the same text. */
function sign(keys: readonly Buffer[], fields: readonly (string | number)[]): string {
  const [newest] = keys
  if (newest === undefined) throw new RangeError('no key to sign links with')
  return createHmac('sha256', newest).update(fields.join('\n')).digest('hex')
}

const unixSeconds = (date: Date) => Math.floor(date.getTime() / 1000)
