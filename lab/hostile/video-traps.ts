import { box, riff, riffChunk, text, u16be, u32be } from './bytes.ts'
import type { HostileFile } from './hostile-file.ts'
import { both } from './hostile-file.ts'

const full = (type: string, ...body: Buffer[]) => box(type, Buffer.alloc(4), ...body)
const FILE_TYPE = box('ftyp', text('isom'), u32be(512), text('isomiso2avc1mp41'))
const movieHeader = full('mvhd', u32be(0, 0, 1000, 1000), Buffer.alloc(80))

type Track = { width: number; height: number; samples: number; reference?: Buffer }

/** Makes an H.264 track without parameter sets. Its size table claims to have `samples` samples. */
function track({ width, height, samples, reference = full('url ', Buffer.from([0, 0, 0, 1])) }: Track): Buffer {
  const coding = box('avc1', Buffer.alloc(24), u16be(width, height), Buffer.alloc(50))
  const table = box(
    'stbl',
    full('stsd', u32be(1), coding),
    full('stts', u32be(1, samples, 1)),
    full('stsc', u32be(1, 1, 1, 1)),
    full('stsz', u32be(16, samples)),
    full('stco', u32be(1, 40)),
  )
  const media = box(
    'mdia',
    full('mdhd', u32be(0, 0, 1000, 1000), Buffer.alloc(4)),
    full('hdlr', u32be(0), text('vide'), Buffer.alloc(13)),
    box('minf', full('vmhd', Buffer.alloc(8)), box('dinf', full('dref', u32be(1), reference)), table),
  )
  const header = full('tkhd', u32be(0, 0, 1, 0, 1000), Buffer.alloc(52), u32be(width * 65_536, height * 65_536))
  return box('trak', header, media)
}

const movie = (...tracks: Buffer[]) =>
  Buffer.concat([FILE_TYPE, box('moov', movieHeader, ...tracks), box('mdat', Buffer.alloc(64))])

export function videoTraps(): HostileFile[] {
  const failed = both('processing_failed')
  const elsewhere = full('alis', text('file:///etc/passwd'))
  const files: Omit<HostileFile, 'media'>[] = [
    { name: 'type-alone.mp4', bytes: FILE_TYPE, ...failed },
    { name: 'no-track.mp4', bytes: movie(), ...both('unsupported_media') },
    { name: 'header-65535.mp4', bytes: movie(track({ width: 65_535, height: 65_535, samples: 1 })), ...failed },
    {
      name: 'samples-2-32.mp4',
      bytes: movie(track({ width: 64, height: 64, samples: 0xffff_ffff })),
      read: 'succeeded',
      process: 'processing_failed',
      metadata: { duration: 1 },
    },
    {
      name: 'data-in-another-file.mov',
      bytes: movie(track({ width: 64, height: 64, samples: 1, reference: elsewhere })),
      ...failed,
    },
    { name: 'boxes-in-boxes.mp4', bytes: Buffer.concat([FILE_TYPE, nested(5_000)]), ...failed },
    {
      name: 'endless-segment.mkv',
      bytes: Buffer.concat([matroska('matroska'), text('\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff')]),
      ...failed,
    },
    { name: 'header-alone.webm', bytes: matroska('webm'), ...failed },
    { name: 'empty-list.avi', bytes: riff('AVI ', riffChunk('LIST', text('hdrl'))), ...failed },
    { name: 'header-alone.flv', bytes: text('FLV\x01\x05\0\0\0\x09\0\0\0\0'), ...failed },
    {
      name: 'packets-of-nothing.ts',
      bytes: Buffer.concat(
        Array.from({ length: 200 }, () => Buffer.concat([text('\x47\x1f\xff\x10'), Buffer.alloc(184, 0xff)])),
      ),
      ...failed,
    },
  ]
  return files.map((file) => ({ ...file, media: 'video' }))
}

function nested(depth: number): Buffer {
  const heads = Array.from({ length: depth }, (_, index) => Buffer.concat([u32be(8 * (depth - index)), text('moov')]))
  return Buffer.concat(heads)
}

const matroska = (type: string) =>
  Buffer.concat([
    text('\x1a\x45\xdf\xa3'),
    Buffer.from([0x80 | (type.length + 3)]),
    text('\x42\x82'),
    Buffer.from([0x80 | type.length]),
    text(type),
  ])
