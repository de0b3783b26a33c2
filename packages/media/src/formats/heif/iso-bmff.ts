import type { ByteReader } from '../byte-reader.ts'

export type Box = { type: string; body: Buffer }

/** Yields the boxes. If the last box is truncated, its body is shorter than declared. */
export function* boxes(bytes: Buffer): Generator<Box> {
  let at = 0
  while (at + 8 <= bytes.length) {
    const { type, headBytes, length } = boxHead(bytes.subarray(at, at + 16), bytes.length - at)
    if (length < headBytes) return
    yield { type, body: bytes.subarray(at + headBytes, at + length) }
    at += length
  }
}

export function findBox(bytes: Buffer, ...path: string[]): Buffer | undefined {
  let found: Buffer | undefined = bytes
  for (const type of path) {
    if (found === undefined) return undefined
    found = boxes(found).find((box) => box.type === type)?.body
  }
  return found
}

type TopLevelBox = { type: string; start: number; length: number }

export function* topLevelBoxes(source: ByteReader): Generator<TopLevelBox> {
  let at = 0
  while (at < source.size) {
    const head = source.read(at, 16)
    if (head.length < 8) return
    const { type, headBytes, length } = boxHead(head, source.size - at)
    if (length < headBytes) return
    yield { type, start: at + headBytes, length: length - headBytes }
    at += length
  }
}

/** The maximum size of `meta` or `moov` in bytes. The header of an image with 10,000 tiles has several hundred KB. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024

/** Finds `meta` and `moov`. Stops as early as possible: only image sequences need `moov`. */
export function headerBoxes(source: ByteReader): { meta: Buffer | undefined; moov: Buffer | undefined } {
  const found: { meta: Buffer | undefined; moov: Buffer | undefined } = { meta: undefined, moov: undefined }
  let isSequence = false
  for (const { type, start, length } of topLevelBoxes(source)) {
    const body = () => source.read(start, Math.min(length, MAX_HEADER_BYTES))
    if (type === 'ftyp') isSequence = /avis|msf1|hevc/.test(body().toString('latin1'))
    // The body of `meta` starts with a version and flags. Its children follow.
    if (type === 'meta') found.meta = body().subarray(4)
    if (type === 'moov') found.moov = body()
    if (found.moov !== undefined || (found.meta !== undefined && !isSequence)) break
  }
  return found
}

/** Parses the header of a box. Length 0: up to the end of the file. Length 1: the next 64 bits are the length. */
function boxHead(head: Buffer, left: number): { type: string; headBytes: number; length: number } {
  const type = head.toString('latin1', 4, 8)
  const length = head.readUInt32BE(0)
  if (length === 0) return { type, headBytes: 8, length: left }
  if (length === 1) return { type, headBytes: 16, length: head.length < 16 ? 0 : Number(head.readBigUInt64BE(8)) }
  return { type, headBytes: 8, length }
}
