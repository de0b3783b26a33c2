import type { ByteReader } from './byte-reader.ts'
import { END, STANDALONE } from './jpeg-markers.ts'

/**
 * Whether a JPEG or PNG ends before its picture does. A decoder that is asked for the upper part of a picture alone reads
 * no further, and would not notice.
 */
export function isCutOff(source: ByteReader, format: 'JPEG' | 'PNG'): boolean {
  return format === 'JPEG' ? !jpegEnds(source) : !pngEnds(source)
}

/** Walks over segments and scans (ISO 10918-1, annex B) to the end of the image. */
function jpegEnds(source: ByteReader): boolean {
  let at = nextMarker(source, 2)
  while (at !== undefined) {
    const [marker = END] = source.read(at + 1, 1)
    if (marker === END) return true
    const length = STANDALONE.has(marker) ? 0 : lengthAt(source, at + 2)
    at = nextMarker(source, at + 2 + length)
  }
  return false
}

function lengthAt(source: ByteReader, at: number): number {
  const bytes = source.read(at, 2)
  return bytes.length < 2 ? 2 : Math.max(2, bytes.readUInt16BE(0))
}

const CHUNK_BYTES = 32 * 1024

/** Where the next marker begins: in a scan, 0xff is followed by 0 where it is data and by 0xff where it is filling. */
function nextMarker(source: ByteReader, from: number): number | undefined {
  let at = from
  for (let chunk = source.read(at, CHUNK_BYTES); chunk.length > 1; chunk = source.read(at, CHUNK_BYTES)) {
    let found = chunk.indexOf(0xff)
    while (found !== -1 && found + 1 < chunk.length) {
      const next = chunk[found + 1]
      if (next !== 0 && next !== 0xff) return at + found
      found = chunk.indexOf(0xff, found + 1)
    }
    at += found === -1 ? chunk.length : found
  }
  return undefined
}

/** Walks over the chunks to IEND. */
function pngEnds(source: ByteReader): boolean {
  let at = 8
  for (let head = source.read(at, 8); head.length === 8; head = source.read(at, 8)) {
    if (head.toString('latin1', 4) === 'IEND') return true
    at += head.readUInt32BE(0) + 12
  }
  return false
}
