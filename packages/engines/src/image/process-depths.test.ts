import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { Sharp } from 'sharp'
import sharp from 'sharp'
import type { TestFile } from './process-fixture.ts'
import { assertNear, pixelsOf, processed, rawOf } from './process-fixture.ts'
import { linearGrayProfile } from './sources/gray-profile-fixture.ts'

const tiff = async (image: Sharp): Promise<TestFile> => ({ bytes: await image.toBuffer(), format: 'TIFF' })

async function halves(file: TestFile, operations: object[] = [{ type: 'flip' }]) {
  const { at, width, height } = await pixelsOf((await processed(file, operations)).bytes)
  return [at(Math.floor(width / 4), Math.floor(height / 2)), at(Math.floor((width * 3) / 4), Math.floor(height / 2))]
}

test('the image engine converts CMYK to the correct colors, with and without a profile, at full size and smaller [images.process.2]', async () => {
  const drawn = () => rawOf(64, 32, (x) => (x < 32 ? [200, 40, 40] : [40, 90, 160]))
  const files: Record<string, TestFile> = {
    'jpg with a profile': {
      bytes: await drawn().withIccProfile('cmyk').jpeg({ quality: 100 }).toBuffer(),
      format: 'JPEG',
    },
    'jpg without': { bytes: await drawn().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(), format: 'JPEG' },
    'tiff with a profile': await tiff(drawn().withIccProfile('cmyk').tiff({ compression: 'lzw' })),
  }
  const metadata = await Promise.all(Object.values(files).map(({ bytes }) => sharp(bytes).metadata()))
  assert.deepEqual(
    metadata.map(({ space, icc }) => [space, icc !== undefined]),
    [
      ['cmyk', true],
      ['cmyk', false],
      ['cmyk', true],
    ],
  )
  for (const [what, file] of Object.entries(files)) {
    for (const operations of [[{ type: 'flip' }], [{ type: 'resize', width: 16, height: 8 }], [{ type: 'exposure' }]]) {
      const [left, right] = await halves(file, operations)
      for (const [found = [], color] of [
        [left, [200, 40, 40]],
        [right, [40, 90, 160]],
      ] as const) {
        // CMYK has a smaller gamut than sRGB, so the conversion changes colors.
        assertNear(found, color, what, 30)
      }
    }
  }
})

test('a 16-bit gradient becomes all 256 levels of 8 bits, in order and evenly spaced, after a flip and after a resize [images.process.2]', async () => {
  const [width, height] = [2048, 4]
  for (const [space, channels] of [
    ['rgb16', 3],
    ['grey16', 1],
  ] as const) {
    const values = new Uint16Array(width * height * channels)
    for (let at = 0; at < values.length; at += 1) {
      values[at] = Math.round((Math.floor((at / channels) % width) / (width - 1)) * 65_535)
    }
    const deep = sharp(values, { raw: { width, height, channels } }).toColourspace(space)
    const source = { bytes: await deep.png().toBuffer(), format: 'PNG' as const }
    assert.equal((await sharp(source.bytes).metadata()).depth, 'ushort')
    for (const operations of [[{ type: 'flip' }], [{ type: 'resize', width: 1024, height: 4 }]]) {
      const found = await pixelsOf((await processed(source, operations)).bytes)
      const row = Array.from({ length: found.width }, (_, x) => found.at(x, 1)[0] ?? 0)
      const what = `${space} ${JSON.stringify(operations)}`
      assert.deepEqual(
        row,
        row.toSorted((a, b) => a - b),
        what,
      )
      assert.equal(new Set(row).size, 256, what)
      row.forEach((level, x) =>
        assert.ok(Math.abs(level - (x / (row.length - 1)) * 255) <= 1.01, `${what} at ${x}: ${level}`),
      )
    }
  }
})

test('a 16-bit image with a profile has the correct colors in the result, even if the image is a watermark or gets a border [images.process.2]', async () => {
  const meant = [200, 90, 60]
  const drawn = () => rawOf(64, 32, () => meant).toColourspace('rgb16')
  const files: TestFile[] = []
  for (const profile of ['p3', 'srgb'] as const) {
    files.push({ bytes: await drawn().withIccProfile(profile).png().toBuffer(), format: 'PNG' })
    files.push(await tiff(drawn().withIccProfile(profile).tiff({ compression: 'lzw' })))
  }
  const isMeant = (found: number[], what: string) =>
    meant.forEach((part, channel) =>
      assert.ok(Math.abs(part - (found[channel] ?? 0)) <= 2, `${what}: ${found.join()}, not ${meant.join()}`),
    )
  const border = { type: 'border', top: 4, bottom: 0, left: 0, right: 0, color: '#ff2000' }
  const lists = [
    [{ type: 'flip', horizontal: true }],
    [{ type: 'rotate', degrees: 90 }],
    [{ type: 'resize', width: 60, height: 60 }],
    [{ type: 'resize', width: 16, height: 16 }],
    [{ type: 'watermark', image_url: 'dot', x: 60, y: 30 }],
  ]
  const dot = {
    bytes: await rawOf(1, 1, () => [0, 0, 0])
      .png()
      .toBuffer(),
    format: 'PNG' as const,
  }
  for (const [index, file] of files.entries()) {
    assert.equal((await sharp(file.bytes).metadata()).space, 'rgb16')
    for (const operations of lists) {
      const { at } = await pixelsOf((await processed(file, operations, { marks: { dot } })).bytes)
      isMeant(at(4, 4), `${index} ${JSON.stringify(operations)}`)
    }
    const framed = await pixelsOf((await processed(file, [border])).bytes)
    assert.deepEqual(framed.at(2, 2), [255, 32, 0, 255])
    isMeant(framed.at(4, 8), `${index} beside a border`)
    if (file.format !== 'PNG') continue
    const white = {
      bytes: await rawOf(64, 32, () => [255, 255, 255])
        .png()
        .toBuffer(),
      format: 'PNG' as const,
    }
    const marked = await processed(white, [{ type: 'watermark', image_url: 'm', x: 0, y: 0 }], { marks: { m: file } })
    isMeant((await pixelsOf(marked.bytes)).at(9, 9), `${index} as a watermark`)
  }
})

test('a gray image with a profile keeps its tones at any depth and size [images.process.2]', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mediamill-test-'))
  try {
    const profile = path.join(folder, 'linear.icc')
    await writeFile(profile, linearGrayProfile())
    for (const space of ['b-w', 'grey16'] as const) {
      const drawn = rawOf(64, 40, () => [133, 133, 133]).toColourspace(space)
      const bytes = await drawn.withIccProfile(profile).png().toBuffer()
      const stored = await sharp(bytes, { ignoreIcc: true }).raw().toBuffer()
      assert.equal(stored[0], 60)
      for (const operations of [
        [{ type: 'flip', vertical: true }],
        [{ type: 'grayscale' }],
        [{ type: 'resize', width: 60, height: 60 }],
        [{ type: 'resize', width: 20, height: 20 }],
      ]) {
        const { at } = await pixelsOf((await processed({ bytes, format: 'PNG' }, operations)).bytes)
        assert.ok(Math.abs((at(5, 5)[0] ?? 0) - 133) <= 2, `${space} ${JSON.stringify(operations)}: ${at(5, 5).join()}`)
      }
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('operations draw in color on gray, palette, and 1-bit images [images.process.2]', async () => {
  const gray = () => rawOf(32, 8, (x) => (x < 16 ? [0, 0, 0] : [255, 255, 255]))
  const files: Record<string, TestFile> = {
    'gray png': { bytes: await gray().toColourspace('b-w').png().toBuffer(), format: 'PNG' },
    'gray jpg': { bytes: await gray().toColourspace('b-w').jpeg({ quality: 100 }).toBuffer(), format: 'JPEG' },
    '1-bit png': { bytes: await gray().png({ palette: true, colours: 2 }).toBuffer(), format: 'PNG' },
    '1-bit tiff': await tiff(gray().toColourspace('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 })),
    '4-bit tiff': await tiff(gray().toColourspace('b-w').tiff({ compression: 'lzw', predictor: 'none', bitdepth: 4 })),
  }
  assert.equal((await sharp(files['1-bit tiff']?.bytes).metadata()).bitsPerSample, 1)
  const blended = [
    { type: 'border', top: 0, bottom: 4, left: 0, right: 0, color: '#00ff00' },
    { type: 'filter', name: 'inkwell', strength: 0 },
  ]
  for (const [what, file] of Object.entries(files)) {
    const [left, right] = await halves(file)
    assert.deepEqual(
      [left, right],
      [
        [0, 0, 0, 255],
        [255, 255, 255, 255],
      ],
      what,
    )
    const { at } = await pixelsOf((await processed(file, blended)).bytes)
    assert.deepEqual(
      [at(4, 4), at(28, 4), at(4, 10)],
      [
        [0, 0, 0, 255],
        [255, 255, 255, 255],
        [0, 255, 0, 255],
      ],
      what,
    )
    const sepia = await halves(file, [{ type: 'sepia', threshold: 100 }])
    // White in full sepia is the sum of each row of the sepia matrix. For blue: 0.272 + 0.534 + 0.131.
    assert.deepEqual(
      sepia,
      [
        [0, 0, 0, 255],
        [255, 255, 239, 255],
      ],
      what,
    )
  }
})

test('the image engine reads a TIFF with every compression, and only the first page of a TIFF with several pages [images.process.3, sources.formats.5]', async () => {
  const drawn = () => rawOf(32, 8, (x) => (x < 16 ? [200, 30, 30] : [30, 30, 200]))
  for (const compression of ['none', 'lzw', 'deflate', 'packbits', 'jpeg'] as const) {
    const found = await halves(await tiff(drawn().tiff({ compression, quality: 100 })))
    const expected = [
      [200, 30, 30, 255],
      [30, 30, 200, 255],
    ]
    expected.forEach((color, half) => {
      assertNear(found[half] ?? [], color, compression, compression === 'jpeg' ? 6 : 0)
    })
  }
  const data = await rawOf(8, 24, (_, y) => [y < 8 ? 250 : 5, y >= 16 ? 250 : 5, 5])
    .raw()
    .toBuffer()
  const pages = sharp(data, { raw: { width: 8, height: 24, channels: 3, pageHeight: 8 }, animated: true })
  const paged = await tiff(pages.tiff({ compression: 'deflate' }))
  assert.equal((await sharp(paged.bytes).metadata()).pages, 3)
  for (const output of ['gif', 'webp', 'tif', 'png'] as const) {
    const { bytes, data: metadata } = await processed(paged, [{ type: 'flip' }], { output })
    assert.deepEqual([metadata['width'], metadata['height']], [8, 8], output)
    assert.equal((await sharp(bytes).metadata()).pages ?? 1, 1, output)
    assert.ok(((await pixelsOf(bytes)).at(4, 4)[0] ?? 0) > 230, output)
  }
})
