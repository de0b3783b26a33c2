import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import type { TestFile } from './process-fixture.ts'
import { assertNear, pixelsOf, png, processed } from './process-fixture.ts'
import { linearGrayProfile } from './sources/gray-profile-fixture.ts'

type Chunk = readonly [type: string, data: Buffer]

function chunk([type, data]: Chunk): Buffer {
  const bytes = Buffer.alloc(data.length + 12)
  bytes.writeUInt32BE(data.length)
  bytes.write(type, 4, 'latin1')
  data.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), data.length + 8)
  return bytes
}

const numbers = (...values: number[]) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(Math.round(value * 100_000))
      return bytes
    }),
  )
const gamma = (value: number): Chunk => ['gAMA', numbers(value)]
const SRGB: Chunk = ['cHRM', numbers(0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)]
const P3: Chunk = ['cHRM', numbers(0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06)]
const ON_ONE_POINT: Chunk = ['cHRM', numbers(0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3)]
const profile = (data: Buffer): Chunk => ['iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(data)])]
const BROKEN = profile(Buffer.from('nonsense'))

type Kind = { type: 0 | 2 | 3 | 4 | 6; bits: 4 | 8 | 16 }
const KINDS: Kind[] = [
  { type: 0, bits: 8 },
  { type: 0, bits: 16 },
  { type: 4, bits: 8 },
  { type: 4, bits: 16 },
  { type: 2, bits: 8 },
  { type: 2, bits: 16 },
  { type: 6, bits: 8 },
  { type: 6, bits: 16 },
  { type: 3, bits: 8 },
  { type: 3, bits: 4 },
]
const isGray = ({ type }: Kind) => type === 0 || type === 4

function flat({ type, bits }: Kind, color: readonly number[], chunks: readonly Chunk[]): TestFile {
  const samples =
    type === 3 ? [1] : [...(isGray({ type, bits }) ? color.slice(0, 1) : color), ...(type >= 4 ? [128] : [])]
  const pixel = Buffer.from(bits === 16 ? samples.flatMap((value) => [value, value]) : bits === 4 ? [0x11] : samples)
  const row = Buffer.concat([Buffer.of(0), ...Array<Buffer>(bits === 4 ? 12 : 24).fill(pixel)])
  const header = Buffer.from([0, 0, 0, 24, 0, 0, 0, 8, bits, type, 0, 0, 0])
  const palette: Chunk[] = type === 3 ? [['PLTE', Buffer.from([9, 9, 9, ...color])]] : []
  const pixels: Chunk = ['IDAT', deflateSync(Buffer.concat(Array<Buffer>(8).fill(row)))]
  const all: Chunk[] = [['IHDR', header], ...chunks, ...palette, pixels, ['IEND', Buffer.alloc(0)]]
  return { bytes: Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...all.map(chunk)]), format: 'PNG' }
}

async function shown(file: TestFile): Promise<Record<string, number[]>> {
  const empty = await png(24, 8, () => [0, 0, 0, 0])
  const runs = {
    whole: () => processed(file, [{ type: 'flip', horizontal: true }]),
    smaller: () => processed(file, [{ type: 'resize', width: 6, height: 2 }]),
    framed: () => processed(file, [{ type: 'border', top: 0, left: 0, right: 0, bottom: 2, color: '#ff0000' }]),
    mark: () => processed(empty, [{ type: 'watermark', image_url: 'm', x: 0, y: 0 }], { marks: { m: file } }),
  }
  const found: Record<string, number[]> = {}
  for (const [name, run] of Object.entries(runs)) found[name] = (await pixelsOf((await run()).bytes)).at(1, 1)
  return found
}

async function isShown(file: TestFile, expected: readonly number[], what: string, tolerance = 2) {
  for (const [name, found] of Object.entries(await shown(file))) {
    assertNear(found, expected, `${what}, ${name}`, tolerance)
  }
}

/** How Chromium 156 displays the color 20, 130, 204 (`color`) and the gray 130 (`gray`), read from a canvas. */
const CASES: { what: string; chunks: Chunk[]; color: number[]; gray: number }[] = [
  { what: 'nothing', chunks: [], color: [20, 130, 204], gray: 130 },
  { what: 'linear light', chunks: [gamma(1)], color: [79, 189, 231], gray: 189 },
  { what: 'the gamma of a Macintosh', chunks: [gamma(0.55)], color: [25, 147, 213], gray: 147 },
  { what: 'a dark gamma', chunks: [gamma(0.35)], color: [2, 107, 192], gray: 107 },
  { what: 'just off the gamma of screens', chunks: [gamma(0.48)], color: [16, 136, 208], gray: 136 },
  { what: 'nearly the gamma of screens', chunks: [gamma(0.45)], color: [20, 130, 204], gray: 130 },
  { what: 'no gamma at all', chunks: [gamma(0)], color: [20, 130, 204], gray: 130 },
  { what: 'primaries alone', chunks: [P3], color: [20, 130, 204], gray: 130 },
  { what: "sRGB's primaries and a power of 2.2", chunks: [gamma(0.45455), SRGB], color: [12, 131, 205], gray: 131 },
  { what: 'impossible primaries', chunks: [gamma(0.35), ON_ONE_POINT], color: [20, 130, 204], gray: 130 },
  { what: 'sRGB beside a gamma', chunks: [gamma(1), ['sRGB', Buffer.of(0)]], color: [20, 130, 204], gray: 130 },
  { what: 'a broken profile', chunks: [BROKEN], color: [20, 130, 204], gray: 130 },
  { what: 'a broken profile beside a gamma', chunks: [gamma(1), BROKEN], color: [79, 189, 231], gray: 189 },
  { what: 'codes for sRGB', chunks: [gamma(1), ['cICP', Buffer.of(1, 13, 0, 1)]], color: [20, 130, 204], gray: 130 },
]

test('a PNG with gamma and primaries has the colors that browsers show, even as a watermark [images.process.2]', async () => {
  for (const kind of KINDS) {
    for (const { what, chunks, color, gray } of CASES) {
      const alpha = kind.type >= 4 ? 128 : 255
      const expected = [...(isGray(kind) ? [gray, gray, gray] : color), alpha]
      const source = isGray(kind) ? [130, 130, 130] : [20, 130, 204]
      const where = `${what}, type ${kind.type} of ${kind.bits} bits`
      // Resizing rounds premultiplied colors.
      await isShown(flat(kind, source, chunks), expected, where, alpha < 255 ? 4 : 2)
    }
  }
})

test('a PNG with primaries and a gamma of 1/2.2 has the colors of its primaries; color codes (cICP) override all other color data of the PNG [images.process.2]', async () => {
  for (const kind of KINDS.filter((each) => !isGray(each))) {
    const is = (chunks: Chunk[], expected: number[]) =>
      // Near the limits of the sRGB gamut, sharp clips 16-bit values differently from 8-bit values.
      isShown(flat(kind, [200, 130, 60], chunks), expected, `type ${kind.type} of ${kind.bits} bits`, 3)
    await is([gamma(0.45455), P3], P3_SHOWN)
    const codes: Chunk = ['cICP', Buffer.of(12, 13, 0, 1)]
    for (const others of [[], [gamma(1)], [['sRGB', Buffer.of(0)] as const], [BROKEN]]) {
      await is([codes, ...others], P3_CODED_SHOWN)
    }
  }
})

// Computed from 200, 130, 60: to linear light, with the primaries' matrices to linear sRGB, and back to sRGB values.
const P3_SHOWN = [213, 127, 34]
const P3_CODED_SHOWN = [212, 126, 39]

test('a gray image with a profile keeps its transparency and tone at any bit depth, even as a watermark [images.process.2]', async () => {
  for (const kind of KINDS.filter(isGray)) {
    // The profile is linear. Linear light of 60 / 255 is the sRGB value 133.
    const expected = [133, 133, 133, kind.type === 4 ? 128 : 255]
    const file = flat(kind, [60, 60, 60], [profile(linearGrayProfile())])
    await isShown(file, expected, `type ${kind.type} of ${kind.bits} bits`, 2)
  }
})

test('a PNG whose gamma is stored after 1.2 MB of comments has the correct colors [images.process.2]', async () => {
  const text: Chunk = ['tEXt', Buffer.alloc(1_200_000, 'Comment\0x')]
  await isShown(flat({ type: 2, bits: 8 }, [20, 130, 204], [text, gamma(1), text]), [79, 189, 231, 255], 'long')
})
