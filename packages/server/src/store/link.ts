import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { secretKeysOf } from '@mediamill/contract/domain/secret-key'
import { fingerprintOf } from '../lib/key-fingerprint.ts'

type LinkKey = { id: string; key: Buffer }

/** The keys of signed links, derived from `SECRET_KEY`. The first key signs new links. All keys can verify links. */
export type LinkKeys = { result: readonly LinkKey[]; file: readonly LinkKey[]; upload: readonly LinkKey[] }

/** The signature of a link. `key`: the id of the key that signed the link. Links of older versions have no id. */
export type LinkProof = { expires: unknown; key?: unknown; signature: unknown }

/** Whether a link is valid. A link that is both forged and expired is `invalid_signature` (results.links.2). */
export type LinkVerdict = 'valid' | 'invalid_signature' | 'expired'

/** Derives keys, newest first. Each kind of link has its own label (HKDF, RFC 5869), so no key fits two kinds. */
export function deriveLinkKeys(secrets: readonly [string, ...string[]]): LinkKeys {
  const derive = (label: string) =>
    // security check: a signature of one kind of link used for another
    secrets.map((secret) => ({
      id: fingerprintOf(secret),
      key: Buffer.from(hkdfSync('sha256', secret, '', `mediamill ${label} 1`, 32)),
    }))
  return { result: derive('result link'), file: derive('file link'), upload: derive('upload link') }
}

export const linksOf = ({ secretKey, baseUrl }: { secretKey: string; baseUrl: string }) => ({
  keys: deriveLinkKeys(secretKeysOf(secretKey)),
  baseUrl,
})

/** The file of a result link. `file`: the name of the file's output. If missing, the link is to the first file. */
export type LinkedFile = { id: string | RequestId; file?: string | undefined }

/** Returns the signed URL of a result file. The link is valid until `expires` (results.links.1). */
export function resultUrl(keys: LinkKeys, baseUrl: string, id: RequestId, expires: Date, file?: string): string {
  const named = file === undefined ? '' : `file=${file}&`
  return `${baseUrl}/v1/results/${id}?${named}${proofOf(keys.result, fieldsOf({ id, file }), expires)}`
}

const fieldsOf = ({ id, file }: LinkedFile): string[] => [String(id), ...(file === undefined ? [] : [file])]

/** Returns whether a link expires at `deletedAt`. If not, the files were deleted early, or the id was reused. */
export function isTimeOf(deletedAt: Date, expires: string | undefined): boolean {
  return Number(expires) === unixSeconds(deletedAt)
}

export function verifyResult(keys: LinkKeys, link: LinkedFile & LinkProof, now: Date): LinkVerdict {
  // security check: a link of one file used for another
  return verify(keys.result, fieldsOf(link), link, now)
}

/** Returns the parts of a valid result link. Uses no URL parser, because it would repair a changed link. */
export function ownResult(
  keys: LinkKeys,
  baseUrl: string,
  url: string,
  now: Date,
): { id: string; file: string | undefined; expires: string } | undefined {
  const start = `${baseUrl}/v1/results/`
  // security check: a link of another host
  if (!url.startsWith(start)) return undefined
  const [, id, file, expires, key, signature] =
    /^([1-9]\d{0,15})\?(?:file=([a-z0-9_-]{1,64})&)?expires=(\d{1,12})&(?:key=([0-9a-f]{8})&)?signature=([0-9a-f]{64})$/.exec(
      url.slice(start.length),
    ) ?? []
  if (id === undefined || expires === undefined) return undefined
  // security check: a result as a source without its link
  return verifyResult(keys, { id, file, expires, key, signature }, now) === 'valid' ? { id, file, expires } : undefined
}

/** Returns the signed URL that receives an upload (uploads.create.2). */
export function uploadUrl(keys: LinkKeys, baseUrl: string, id: string, expires: Date): string {
  return `${baseUrl}/v1/uploads/${id}/content?${proofOf(keys.upload, [id], expires)}`
}

export function verifyUpload(keys: LinkKeys, link: { id: string } & LinkProof, now: Date): LinkVerdict {
  return verify(keys.upload, [link.id], link, now)
}

type FileLink = { key: string; name: string; sha256: string }

/** Returns the signed path of a file. Equal arguments return equal paths, so that browsers can cache the file. */
export function filePath(keys: LinkKeys, file: FileLink, expires: Date): string {
  const proof = proofOf(keys.file, [file.key, file.name, file.sha256], expires)
  return `/v1/files/${file.key}/${encodeURIComponent(file.name)}?sha256=${file.sha256}&${proof}`
}

export function verifyFile(
  keys: LinkKeys,
  link: { fileKey: string; name: string; sha256: unknown } & LinkProof,
  now: Date,
): LinkVerdict {
  // security check: a signature of one file used for another
  return verify(keys.file, [link.fileKey, link.name, String(link.sha256)], link, now)
}

function proofOf(keys: readonly LinkKey[], fields: readonly string[], expires: Date): string {
  const [newest] = keys
  if (newest === undefined) throw new RangeError('the list of keys that sign links is empty')
  const seconds = String(unixSeconds(expires))
  return `expires=${seconds}&key=${newest.id}&signature=${sign(newest, [...fields, seconds])}`
}

function verify(
  keys: readonly LinkKey[],
  fields: readonly string[],
  { expires, key: named, signature }: LinkProof,
  now: Date,
): LinkVerdict {
  if (typeof expires !== 'string' || typeof signature !== 'string') return 'invalid_signature'
  const given = Buffer.from(signature)
  // security check: a signature guessed by the key that rejects it
  const isRight = keys
    .filter(({ id }) => named === undefined || id === named)
    .map((key) => {
      const expected = Buffer.from(sign(key, [...fields, expires]))
      // security check: a signature guessed byte by byte
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    .includes(true)
  // security check: a forged signature
  if (!isRight) return 'invalid_signature'
  // security check: an expired link
  return unixSeconds(now) >= Number(expires) ? 'expired' : 'valid'
}

/** Signs a list of fields. Fields contain no line feed, so different lists result in different texts. */
function sign({ key }: LinkKey, fields: readonly string[]): string {
  return createHmac('sha256', key).update(fields.join('\n')).digest('hex')
}

export const unixSeconds = (date: Date) => Math.floor(date.getTime() / 1000)
