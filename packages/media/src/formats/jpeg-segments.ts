import type { ByteReader } from './byte-reader.ts'

/** The second bytes of JPEG markers (ISO 10918-1, table B.1). */
export const SCAN = 0xda
export const END = 0xd9

/** TEM, the restart markers and a second start of image: they have no length. */
const STANDALONE: ReadonlySet<number> = new Set([0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8])

const HEAD_BYTES = 12

export type Segment = {
  marker: number
  /** Where its marker stands, and where it ends: behind the marker itself for one without a length. */
  at: number
  end: number
  /** Its first bytes behind the marker, the length among them; none of a scan or of a marker without a length. */
  head: Buffer
}

/** How a walk looks for markers: `window` bytes at a time, passing over at most `skip` bytes that belong to none. */
type Search = { window: number; skip: number }

/** A search through headers that reads no byte more than it has to. The source may be at hand in parts only. */
export const SPARING: Search = { window: 2, skip: 64 * 1024 }
/** A search for the end of a file, through scans. */
export const THROUGH_SCANS: Search = { window: 32 * 1024, skip: Number.POSITIVE_INFINITY }

/** Walks over the segments (ISO 10918-1, annex B) up to the end of the image. What lies between them is passed over. */
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
    // What comes after a scan's own header is its data, in which the next marker is looked for.
    from = at + 2 + (isBare ? 0 : lengthIn(marker === SCAN ? source.read(at + 2, 2) : head))
  }
}

const lengthIn = (head: Buffer) => (head.length < 2 ? 2 : Math.max(2, head.readUInt16BE(0)))

/** Where the next marker begins: 0xff is followed by 0 where it is a scan's data, and by 0xff where it is filling. */
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

/**
 * Tells whether a marker begins a frame's header. Those are SOF0 to SOF15, without the tables C4, C8 and CC among them.
 */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
