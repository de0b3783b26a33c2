import type { ByteReader } from '../byte-reader.ts'

/** A box of ISO 14496-12 in memory: its four letters and its body. */
export type Box = { type: string; body: Buffer }

/** The boxes side by side in `bytes`. One that is cut off or lies about its length is the last, with what there is. */
export function* boxes(bytes: Buffer): Generator<Box> {
  let at = 0
  while (at + 8 <= bytes.length) {
    const { type, headBytes, length } = boxHead(bytes.subarray(at, at + 16), bytes.length - at)
    if (length < headBytes) return
    yield { type, body: bytes.subarray(at + headBytes, at + length) }
    at += length
  }
}

/** Finds the first box of a type, by a path through nested boxes. It returns the box's body. */
export function findBox(bytes: Buffer, ...path: string[]): Buffer | undefined {
  let found: Buffer | undefined = bytes
  for (const type of path) {
    if (found === undefined) return undefined
    found = boxes(found).find((box) => box.type === type)?.body
  }
  return found
}

/** More than this is no header: a file of ten thousand tiles has one of some hundred kilobytes. */
const MAX_HEADER_BYTES = 4 * 1024 * 1024

/** The bodies of a file's `meta` and `moov` boxes. Stops behind the first of them unless `ftyp` promises a sequence. */
export function headerBoxes(source: ByteReader): { meta: Buffer | undefined; moov: Buffer | undefined } {
  const found: { meta: Buffer | undefined; moov: Buffer | undefined } = { meta: undefined, moov: undefined }
  let isSequence = false
  let at = 0
  while (at < source.size) {
    const head = source.read(at, 16)
    if (head.length < 8) break
    const { type, headBytes, length } = boxHead(head, source.size - at)
    if (length < headBytes) break
    const body = () => source.read(at + headBytes, Math.min(length - headBytes, MAX_HEADER_BYTES))
    if (type === 'ftyp') isSequence = /avis|msf1|hevc/.test(body().toString('latin1'))
    // `meta` is a full box: version and flags come before its children.
    if (type === 'meta') found.meta = body().subarray(4)
    if (type === 'moov') found.moov = body()
    if (found.moov !== undefined || (found.meta !== undefined && !isSequence)) break
    at += length
  }
  return found
}

/** A length of 0 means up to the end, of 1 that 64 bits of it follow. */
function boxHead(head: Buffer, left: number): { type: string; headBytes: number; length: number } {
  const type = head.toString('latin1', 4, 8)
  const length = head.readUInt32BE(0)
  if (length === 0) return { type, headBytes: 8, length: left }
  if (length === 1) return { type, headBytes: 16, length: head.length < 16 ? 0 : Number(head.readBigUInt64BE(8)) }
  return { type, headBytes: 8, length }
}
