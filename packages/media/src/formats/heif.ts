import type { ByteReader } from './byte-reader.ts'
import { clapArea } from './heif/clap-area.ts'
import type { HeifItems } from './heif/heif-items.ts'
import { readItems } from './heif/heif-items.ts'
import type { Box } from './heif/iso-bmff.ts'
import { boxes, findBox, headerBoxes } from './heif/iso-bmff.ts'
import { sniffIsoMedia } from './heif/sniff-iso-media.ts'
import type { HeaderMetadata, ImageFormat } from './image-format.ts'

export const heif = (format: 'HEIC' | 'AVIF'): ImageFormat => ({
  matches: (head) => sniffIsoMedia(head) === format,
  readHeader,
})

function readHeader(source: ByteReader): HeaderMetadata | undefined {
  const { meta, moov } = headerBoxes(source)
  const sequence = moov === undefined ? undefined : sequenceMetadata(moov)
  const still = meta === undefined ? undefined : stillMetadata(readItems(meta))
  return still === undefined ? sequence : { ...still, frames: sequence?.frames ?? still.frames }
}

/** Reads the primary image. Applies the file's rotation and crop to width and height (images.read.2). */
function stillMetadata(items: HeifItems): HeaderMetadata | undefined {
  const own = items.properties.get(items.primary) ?? []
  const size = own.find((property) => property.type === 'ispe')
  if (size === undefined) return undefined
  let [width, height] = [size.body.readUInt32BE(4), size.body.readUInt32BE(8)]
  let isTurned = false
  for (const { type, body } of own) {
    if (type === 'clap') ({ width, height } = clapArea(body, { width, height }))
    if (type === 'imir') isTurned = true
    if (type === 'irot' && (body.readUInt8(0) & 3) !== 0) {
      isTurned = true
      if ((body.readUInt8(0) & 1) === 1) [width, height] = [height, width]
    }
  }
  const isGray = isMonochrome(own) ?? isMonochrome(tileProperties(items)) ?? false
  const frames = Math.max(1, countImages(items))
  return { frames, orientation: isTurned ? 1 : 0, colorspace: isGray ? 'Gray' : 'sRGB', width, height }
}

function tileProperties(items: HeifItems): Box[] {
  const parts = items.references.find(({ type, from }) => type === 'dimg' && from === items.primary)
  return items.properties.get(parts?.to[0] ?? 0) ?? []
}

function isMonochrome(properties: Box[]): boolean | undefined {
  for (const { type, body } of properties) {
    if (type === 'pixi') return body.readUInt8(4) < 3
    if (type === 'av1C') return (body.readUInt8(2) & 0x10) !== 0
    if (type === 'hvcC') return (body.readUInt8(16) & 3) === 0
  }
  return undefined
}

const IMAGE_ITEM_TYPES = new Set(['hvc1', 'av01', 'grid', 'iden', 'iovl', 'avc1', 'jpeg', 'unci', 'j2k1', 'vvc1'])

/** Counts the visible images. Ignores tiles, thumbnails, and planes for alpha or depth. */
function countImages({ items, references }: HeifItems): number {
  const belonging = new Set(references.filter(({ type }) => type === 'thmb' || type === 'auxl').map(({ from }) => from))
  return [...items].filter(([id, { type, hidden }]) => IMAGE_ITEM_TYPES.has(type) && !hidden && !belonging.has(id))
    .length
}

function sequenceMetadata(moov: Buffer): HeaderMetadata | undefined {
  for (const { type, body } of boxes(moov)) {
    if (type !== 'trak' || findBox(body, 'mdia', 'hdlr')?.toString('latin1', 8, 12) !== 'pict') continue
    const table = findBox(body, 'mdia', 'minf', 'stbl')
    const description = table === undefined ? undefined : findBox(table, 'stsd')
    const sizes = table === undefined ? undefined : findBox(table, 'stsz')
    if (description === undefined || sizes === undefined) continue
    const entry = boxes(description.subarray(8)).next().value?.body
    if (entry === undefined) continue
    const frames = Math.max(1, sizes.readUInt32BE(8))
    return { frames, orientation: 0, colorspace: 'sRGB', width: entry.readUInt16BE(24), height: entry.readUInt16BE(26) }
  }
  return undefined
}
