import type { SourceFormat } from '@mediamill/contract/domain/media'
import { SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import { sniffIsoMedia } from './heif/sniff-iso-media.ts'
import type { Signature } from './image-format.ts'
import { all, any, at } from './image-format.ts'
import { IMAGE_FORMATS } from './image-formats.ts'

/** Detects a format by the first 64 KiB (sources.formats.1). Detects no text format, so no decoder opens a text. */
export function sniff(head: Buffer): SourceFormat | undefined {
  const image = SOURCE_FORMATS.image.find((format) => IMAGE_FORMATS[format].matches(head))
  const video = () => VIDEOS.find(([, matches]) => matches(head))?.[0]
  return image ?? video() ?? sniffIsoMedia(head) ?? sniffDocument(head)
}

const EBML = at(0, '\x1a\x45\xdf\xa3')

const VIDEOS: readonly [SourceFormat, Signature][] = [
  ['WEBM', all(EBML, (head) => matroskaType(head) === 'webm')],
  ['MKV', all(EBML, (head) => matroskaType(head) === 'matroska')],
  ['AVI', all(any(at(0, 'RIFF'), at(0, 'ON2 ')), any(at(8, 'AVI '), at(8, 'AVIX'), at(8, 'ON2f')))],
  ['FLV', all(at(0, 'FLV\x01'), (head) => head.length >= 9 && head.readUInt32BE(5) === 9)],
  // The start of a program stream, or of an MPEG-1/2 video stream without a container.
  ['MPEG', any(at(0, '\0\0\x01\xba'), at(0, '\0\0\x01\xb3'))],
  ['MPEGTS', isTransportStream],
]

function matroskaType(head: Buffer): string | undefined {
  const element = head.subarray(0, 128).indexOf('\x42\x82', 4, 'latin1')
  if (element === -1) return undefined
  // The document type is short, so its length is stored in one byte with a marker bit.
  const length = (head[element + 2] ?? 0) & 0x7f
  return head.toString('latin1', element + 3, element + 3 + length).replace(/(?<!\0)\0+$/, '')
}

/** Detects a transport stream: packets of 188 bytes, 192 (with a time before each), or 204 (with a checksum). */
function isTransportStream(head: Buffer): boolean {
  return [
    { packet: 188, sync: 0 },
    { packet: 192, sync: 4 },
    { packet: 204, sync: 0 },
  ].some(({ packet, sync }) => hasSyncBytes(head, packet, sync))
}

const SYNC_BYTE = 0x47
const MAX_SYNC_BYTES = 5

function hasSyncBytes(head: Buffer, packet: number, sync: number): boolean {
  const packets = Math.min(MAX_SYNC_BYTES, Math.floor(head.length / packet))
  if (packets < 2) return false
  return Array.from({ length: packets }, (_, index) => head[sync + index * packet]).every((byte) => byte === SYNC_BYTE)
}

/** Detects a PDF by `%PDF-` or an object in the first 1,024 bytes (PDF 1.7, annex H). Runs after all other checks. */
function sniffDocument(head: Buffer): SourceFormat | undefined {
  const beginning = head.toString('latin1', 0, 1024)
  return beginning.includes('%PDF-') || /(?:^|[\r\n\0])[^\S\r\n]*\d{1,10}\s{1,8}\d{1,5}\s{1,8}obj\s*<</.test(beginning)
    ? 'PDF'
    : undefined
}
