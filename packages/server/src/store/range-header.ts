import type { ByteRange } from './store.ts'

type RequestedRange = { kind: 'whole' } | ({ kind: 'part' } & ByteRange) | { kind: 'unsatisfiable' }

/** Returns the ETag of a file. The digest is a strong ETag, because a result never changes. */
export function etagOf(sha256: string): string {
  return `"${sha256}"`
}

/**
 * Parses a Range header. Returns `whole` if the header is not one valid byte range (RFC 9110, 14.2), or `ifRange` is
 * not `etag`.
 */
export function parseRange(header: string | undefined, size: number, ifRange?: string, etag?: string): RequestedRange {
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
