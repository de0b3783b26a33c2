import type { ByteReader } from './byte-reader.ts'

/** The second byte of the markers SOS (start of scan) and EOI (end of image) (ISO 10918-1, table B.1). */
export const SCAN = 0xda
export const END = 0xd9

/** Markers without a length: TEM, the restart markers, and a repeated start of image. */
const STANDALONE: ReadonlySet<number> = new Set([0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8])

const HEAD_BYTES = 12

type Segment = {
  marker: number
  at: number
  end: number
  /** The first 12 bytes after the marker, including the length. Empty for a scan or a marker without a length. */
  head: Buffer
}

/** Limits a search for markers. `window`: the bytes per read. `skip`: the total bytes to skip between segments. */
type Search = { window: number; skip: number }

export const QUICK_SCAN: Search = { window: 2, skip: 64 * 1024 }
export const THROUGH_SCANS: Search = { window: 32 * 1024, skip: Number.POSITIVE_INFINITY }

export function* segmentsOf(source: ByteReader, { window, skip }: Search): Generator<Segment> {
  let left = skip
  let from = 2
  for (;;) {
    const at = nextMarker(source, from, { window, skip: left })
    if (at === undefined) return
    left -= at - from
    const [marker = END] = source.read(at + 1, 1)
    const isBare = marker === END || STANDALONE.has(marker)
    const head = isBare || marker === SCAN ? Buffer.alloc(0) : source.read(at + 2, HEAD_BYTES)
    if (!isBare && marker !== SCAN && head.length < 2) return
    yield { marker, at, end: at + 2 + (head.length === 0 ? 0 : lengthIn(head)), head }
    if (marker === END) return
    // The data after the header of a scan has no length. It ends at the next marker.
    from = at + 2 + (isBare ? 0 : lengthIn(marker === SCAN ? source.read(at + 2, 2) : head))
  }
}

const lengthIn = (head: Buffer) => (head.length < 2 ? 2 : Math.max(2, head.readUInt16BE(0)))

/** Finds the next marker. In the data of a scan, 0 follows each 0xff. Several 0xff before a marker are padding. */
function nextMarker(source: ByteReader, from: number, { window, skip }: Search): number | undefined {
  let at = from
  for (let chunk = source.read(at, window); chunk.length > 1; chunk = source.read(at, window)) {
    let found = chunk.indexOf(0xff)
    while (found !== -1 && found + 1 < chunk.length) {
      const next = chunk[found + 1]
      if (next !== 0 && next !== 0xff) return at + found
      found = chunk.indexOf(0xff, found + 1)
    }
    at += found === -1 ? chunk.length : found
    if (at - from >= skip) return undefined
  }
  return undefined
}

/** Returns whether a marker starts a frame header (SOF0 to SOF15). C4, C8, and CC in this range are other markers. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
