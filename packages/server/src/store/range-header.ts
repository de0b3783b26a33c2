import type { ByteRange } from './store.ts'

/** The part of a file that a `Range` header asks for. It is all of it, a part, or nothing that is there (416). */
export type WantedRange = { kind: 'whole' } | ({ kind: 'part' } & ByteRange) | { kind: 'unsatisfiable' }

/** A strong validator: a result's bytes never change, and its digest names them. */
export function etagOf(sha256: string): string {
  return `"${sha256}"`
}

/**
 * Reads a `Range` header for a file of `size` bytes (RFC 9110, section 14.2).
 *
 * A header that is malformed, in another unit, or asks for several parts counts as absent, which the RFC allows; so does one
 * whose `If-Range` names another file than this.
 */
export function parseRange(header: string | undefined, size: number, ifRange?: string, etag?: string): WantedRange {
  const match = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i.exec(header?.replaceAll(/[ \t]/g, '') ?? '')
  if (match === null || (ifRange !== undefined && ifRange !== etag)) return { kind: 'whole' }
  const [, first, last, suffix] = match
  if (first === undefined) {
    const length = Math.min(Number(suffix), size)
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === undefined || last === '' ? size - 1 : Number(last)
  if (last !== '' && end < start) return { kind: 'whole' }
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end: Math.min(end, size - 1) }
}
