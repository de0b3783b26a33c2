import type { ImageOutputFormat } from '@mediamill/contract/domain/media'
import { bufferReader } from '../formats/byte-reader.ts'
import { PNG_HEADER_END, writePngChunk } from '../formats/png.ts'
import { riffChunk, webp, webpChunks } from '../formats/webp.ts'
import type { CopiedEntry, DirectoryEntry } from './directory.ts'
import { embedInAvif } from './embed-avif.ts'
import type { EmbeddedMetadata } from './exif.ts'
import { writeExif, writeExifDirectories } from './exif.ts'
import { writePhotoshop } from './iptc.ts'

type Embed = (file: Buffer, metadata: EmbeddedMetadata) => Buffer

export function embedMetadata(format: ImageOutputFormat, file: Buffer, metadata: EmbeddedMetadata): Buffer {
  return Object.values(metadata).some((part) => part !== undefined) ? EMBED[format](file, metadata) : file
}

const MAX_SEGMENT_BYTES = 65_533

/** Inserts metadata as segments after the JFIF header (EXIF 3.0, 4.7; XMP 3, 1.1.3). */
const inJpeg: Embed = (file, { exif, iptc, xmp }) => {
  const segments = [
    exif && segment(0xe1, Buffer.from('Exif\0\0', 'latin1'), writeExif(exif)),
    xmp && segment(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1'), xmp),
    iptc && segment(0xed, writePhotoshop(iptc)),
  ]
  const start = file[3] === 0xe0 ? 4 + file.readUInt16BE(4) : 2
  return Buffer.concat([
    file.subarray(0, start),
    ...segments.filter((part) => part !== undefined),
    file.subarray(start),
  ])
}

function segment(marker: number, ...parts: Buffer[]): Buffer | undefined {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  if (length > MAX_SEGMENT_BYTES) return undefined
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(length + 2, 2)
  return Buffer.concat([head, ...parts])
}

/** Inserts metadata as chunks after the header (PNG 3, 11.3). PNG has no chunk for IPTC. */
const inPng: Embed = (file, { exif, xmp }) =>
  Buffer.concat([
    file.subarray(0, PNG_HEADER_END),
    ...(exif ? [writePngChunk('eXIf', writeExif(exif))] : []),
    ...(xmp ? [writePngChunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0', 'latin1'), xmp]))] : []),
    file.subarray(PNG_HEADER_END),
  ])

const HAS_ALPHA = 0x10
const HAS_EXIF = 0x08
const HAS_XMP = 0x04

/** Appends metadata as chunks, and sets the flags of the header (RFC 9649, 2.7). WebP has no chunk for IPTC. */
const inWebp: Embed = (file, { exif, xmp }) => {
  const { header, chunks } = webpParts(file)
  header.writeUInt8(header.readUInt8(8) | (exif ? HAS_EXIF : 0) | (xmp ? HAS_XMP : 0), 8)
  const body = Buffer.concat([
    Buffer.from('WEBP', 'latin1'),
    header,
    chunks,
    ...(exif ? [riffChunk('EXIF', writeExif(exif))] : []),
    ...(xmp ? [riffChunk('XMP ', xmp)] : []),
  ])
  return riffChunk('RIFF', body)
}

function webpParts(file: Buffer): { header: Buffer; chunks: Buffer } {
  if (file.toString('latin1', 12, 16) === 'VP8X') {
    return { header: Buffer.from(file.subarray(12, 30)), chunks: file.subarray(30) }
  }
  const source = bufferReader(file)
  const size = webp.readHeader(source)
  if (size === undefined) throw new Error('the WebP has no header')
  const [first] = webpChunks(source)
  // Bit 28 of the header of a lossless image is set if the image has alpha.
  const isTransparent = first?.type === 'VP8L' && (file.readUInt8(first.start + 4) & 0x10) !== 0
  const fields = Buffer.alloc(10)
  fields.writeUInt8(isTransparent ? HAS_ALPHA : 0, 0)
  fields.writeUIntLE(size.width - 1, 4, 3)
  fields.writeUIntLE(size.height - 1, 7, 3)
  return { header: riffChunk('VP8X', fields), chunks: file.subarray(12) }
}

/** Returns the file unchanged. GIF does not support EXIF and IPTC, and few programs read XMP in a GIF. */
const inGif: Embed = (file) => file

const EMBED: Record<ImageOutputFormat, Embed> = {
  jpg: inJpeg,
  png: inPng,
  webp: inWebp,
  gif: inGif,
  tif: embedInTiff,
  avif: embedInAvif,
}

const XMP = 700
const IPTC = 33_723
const BYTE = 1
const LONG = 4

/** Appends a copy of the first directory with the metadata added, and makes the copy the first directory. */
function embedInTiff(file: Buffer, { exif, iptc, xmp }: EmbeddedMetadata): Buffer {
  if (file.toString('latin1', 0, 4) !== 'II*\0')
    throw new Error('the TIFF does not have the layout that libvips writes')
  const added: DirectoryEntry[] = [...(exif?.image ?? [])]
  if (xmp !== undefined) added.push({ tag: XMP, type: BYTE, count: xmp.length, data: xmp })
  if (iptc !== undefined) {
    const data = Buffer.concat([iptc, Buffer.alloc(-iptc.length & 3)])
    added.push({ tag: IPTC, type: LONG, count: data.length / 4, data })
  }
  const replaced = new Set(added.map(({ tag }) => tag))
  const own = entriesOf(file, file.readUInt32LE(4)).filter(({ tag }) => !replaced.has(tag))
  const head = Buffer.concat([file, Buffer.alloc(file.length % 2)])
  const directories = writeExifDirectories([...own, ...added], exif?.capture ?? [], head.length)
  head.writeUInt32LE(head.length, 4)
  return Buffer.concat([head, directories])
}

function entriesOf(file: Buffer, at: number): CopiedEntry[] {
  return Array.from({ length: file.readUInt16LE(at) }, (_, index) => {
    const start = at + 2 + index * 12
    return { tag: file.readUInt16LE(start), copy: file.subarray(start, start + 12) }
  })
}
