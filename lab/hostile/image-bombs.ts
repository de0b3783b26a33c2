import { deflateSync } from 'node:zlib'
import { coded, grid, heic, ispe } from '@mediamill/engines/image/sources/heic-fixture'
import sharp from 'sharp'
import {
  find,
  patched,
  pngChunk,
  pngFile,
  pngHeader,
  riff,
  riffChunk,
  text,
  u16be,
  u16le,
  u32be,
  u32le,
} from './bytes.ts'
import type { HostileFile } from './hostile-file.ts'
import { both } from './hostile-file.ts'
import { bitmapHeader, validImages } from './valid-files.ts'

/** Returns small files that are extremely large images, either according to their header or after decompression. */
export async function imageBombs(): Promise<HostileFile[]> {
  const { JPEG, WEBP, AVIF } = await validImages()
  const sizes = { read: 'succeeded', process: 'processing_failed' } as const
  const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 })
  const files: Omit<HostileFile, 'media'>[] = [
    { name: 'header-65535.png', bytes: pngFile(pngHeader(65_535, 65_535), pngChunk('IDAT', zeros(64))), ...sizes },
    {
      name: 'header-2-31.png',
      bytes: pngFile(pngHeader(2 ** 31 - 1, 2 ** 31 - 1, 6), pngChunk('IDAT', zeros(64))),
      ...sizes,
    },
    {
      name: 'header-0.png',
      bytes: pngFile(pngHeader(0, 0), pngChunk('IDAT', zeros(64))),
      ...both('processing_failed'),
    },
    {
      name: 'hundred-megapixels-of-zeros.png',
      bytes: pngFile(pngHeader(10_000, 10_000), pngChunk('IDAT', zeros(10_000 * 10_001))),
      ...both('succeeded'),
    },
    {
      name: 'one-row-too-many.png',
      bytes: pngFile(pngHeader(10_000, 10_001), pngChunk('IDAT', zeros(10_001 * 10_001))),
      ...sizes,
    },
    {
      name: 'text-of-100-megabytes.png',
      bytes: pngFile(
        pngHeader(16, 16),
        pngChunk('zTXt', Buffer.concat([text('Comment\0\0'), zeros(100 * 1024 ** 2)])),
        pngChunk('IDAT', zeros(16 * 17)),
      ),
      ...both('succeeded'),
    },
    {
      name: 'profile-of-100-megabytes.png',
      bytes: pngFile(
        pngHeader(16, 16, 2),
        pngChunk('iCCP', Buffer.concat([text('x\0\0'), zeros(100 * 1024 ** 2)])),
        pngChunk('IDAT', zeros(16 * 49)),
      ),
      ...both('succeeded'),
    },
    { name: 'header-65500.jpg', bytes: withJpegSize(JPEG, 65_500, 65_500), ...sizes },
    { name: 'scans-5000.jpg', bytes: await manyScans(5_000), ...sizes },
    // libnsgif ignores a canvas above 2,048 pixels. The service uses the canvas, as browsers do.
    { name: 'canvas-65535.gif', bytes: gif({ canvas: 65_535, frame: 1, frames: 1 }), ...sizes },
    { name: 'frame-65535.gif', bytes: gif({ canvas: 1, frame: 65_535, frames: 1 }), ...sizes },
    { name: 'frames-20000-large.gif', bytes: gif({ canvas: 500, frame: 1, frames: 20_000 }), output: 'gif', ...sizes },
    { name: 'frames-20000-first-only.gif', bytes: gif({ canvas: 16, frame: 1, frames: 20_000 }), ...both('succeeded') },
    { name: 'canvas-2-24.webp', bytes: webpCanvas(2 ** 24, 255), ...sizes },
    { name: 'lossless-16384.webp', bytes: losslessWebp(16_384, 16_384), ...sizes },
    { name: 'frames-10000.webp', bytes: manyWebpFrames(WEBP, 10_000), output: 'webp', ...sizes },
    {
      name: 'header-65535.bmp',
      bytes: bitmapHeader({ width: 65_535, height: 65_535, bits: 24, compression: 0, dataBytes: 0 }),
      ...sizes,
    },
    {
      name: 'height-minus-2-31.bmp',
      bytes: bitmapHeader({ width: 16, height: -(2 ** 31), bits: 24, compression: 0, dataBytes: 0 }),
      ...sizes,
    },
    { name: 'runs-of-nothing.bmp', bytes: emptyRuns(9_999, 9_999), ...both('succeeded') },
    { name: 'wrapped-bomb.bmp', bytes: wrappedJpeg(withJpegSize(JPEG, 65_500, 65_500)), ...sizes },
    {
      name: 'ispe-65535.heic',
      bytes: heic({
        items: [
          { ...coded('eight'), properties: [coded('eight').properties[0] ?? Buffer.alloc(0), ispe(65_535, 65_535)] },
        ],
      }),
      ...sizes,
    },
    { name: 'grid-255-by-255.heic', bytes: largeGrid(), ...sizes },
    { name: 'ispe-65535.avif', bytes: withIspe(AVIF, 65_535, 65_535), ...sizes },
    { name: 'ispe-lies-small.avif', bytes: withIspe(AVIF, 4, 4), ...sizes },
  ]
  return files.map((file) => ({ ...file, media: 'image' }))
}

/** Changes the height and the width in the frame header (ITU T.81, B.2.2). */
function withJpegSize(file: Buffer, width: number, height: number): Buffer {
  const frame = file.findIndex((byte, at) => byte === 0xff && (file[at + 1] === 0xc0 || file[at + 1] === 0xc2))
  return patched(file, frame + 5, u16be(height, width))
}

/** Makes a progressive JPEG that repeats its last scan. For each scan, a decoder processes all pixels again. */
async function manyScans(scans: number): Promise<Buffer> {
  const flat = sharp({ create: { width: 3_000, height: 3_000, channels: 3, background: '#808080' } })
  const file = await flat.jpeg({ progressive: true, quality: 50 }).toBuffer()
  const last = file.lastIndexOf(Buffer.from([0xff, 0xda]))
  const scan = file.subarray(last, file.length - 2)
  return Buffer.concat([
    file.subarray(0, last),
    ...Array.from({ length: scans }, () => scan),
    Buffer.from([0xff, 0xd9]),
  ])
}

/** Makes an animated GIF. `canvas` and `frame` are side lengths in pixels. With `frame` 1, each frame has one pixel. */
function gif({ canvas, frame, frames }: { canvas: number; frame: number; frames: number }): Buffer {
  const palette = Buffer.from([0, 0, 0, 255, 255, 255])
  const head = Buffer.concat([text('GIF89a'), u16le(canvas, canvas), Buffer.from([0x80, 0, 0]), palette])
  const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), text('NETSCAPE2.0'), Buffer.from([3, 1, 0, 0, 0])])
  const control = Buffer.from([0x21, 0xf9, 4, 0, 2, 0, 0, 0])
  // LZW with initial 3-bit codes: clear, one pixel of color 0 or 1, end.
  const pixel = (color: number) => Buffer.from([2, 2, 0x44 | (color << 3), 0x01, 0])
  const descriptor = Buffer.concat([Buffer.from([0x2c]), u16le(0, 0, frame, frame), Buffer.from([0])])
  const body = Array.from({ length: frames }, (_, index) => Buffer.concat([control, descriptor, pixel(index % 2)]))
  return Buffer.concat([head, loop, ...body, Buffer.from([0x3b])])
}

const u24le = (value: number) => u32le(value).subarray(0, 3)

function webpCanvas(width: number, height: number): Buffer {
  const canvas = Buffer.concat([Buffer.from([0, 0, 0, 0]), u24le(width - 1), u24le(height - 1)])
  return riff('WEBP', riffChunk('VP8X', canvas), riffChunk('VP8L', losslessHeader(16, 16)))
}

const losslessHeader = (width: number, height: number) =>
  Buffer.concat([Buffer.from([0x2f]), u32le(((width - 1) | ((height - 1) << 14)) >>> 0), Buffer.alloc(8)])

const losslessWebp = (width: number, height: number) => riff('WEBP', riffChunk('VP8L', losslessHeader(width, height)))

function manyWebpFrames(file: Buffer, frames: number): Buffer {
  const first = find(file, 'ANMF')
  const frame = file.subarray(first, first + 8 + file.readUInt32LE(first + 4))
  const canvas = Buffer.concat([Buffer.from([2, 0, 0, 0]), u24le(1_999), u24le(1_999)])
  const control = Buffer.concat([u32le(0), u16le(0)])
  return riff(
    'WEBP',
    riffChunk('VP8X', canvas),
    riffChunk('ANIM', control),
    ...Array.from({ length: frames }, () => frame),
  )
}

/** Makes a run-length compressed bitmap without pixels: its data contains only the end marker. */
function emptyRuns(width: number, height: number): Buffer {
  const palette = Buffer.alloc(1024)
  const header = bitmapHeader({ width, height, bits: 8, compression: 1, dataBytes: 2, paletteBytes: palette.length })
  return Buffer.concat([header, palette, Buffer.from([0, 1])])
}

function wrappedJpeg(jpeg: Buffer): Buffer {
  return Buffer.concat([bitmapHeader({ width: 16, height: 16, bits: 0, compression: 4, dataBytes: jpeg.length }), jpeg])
}

function largeGrid(): Buffer {
  const tiles = Array.from({ length: 255 * 255 }, () => 2)
  return heic({
    items: [grid(255, 255, 16_320, 16_320), { ...coded('eight'), hidden: true }],
    references: [{ type: 'dimg', from: 1, to: tiles }],
  })
}

function withIspe(file: Buffer, width: number, height: number): Buffer {
  return patched(file, find(file, 'ispe') + 8, u32be(width, height))
}
