import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

const MAIN = join(import.meta.dirname, '../../main.ts')
const folder = await sharedFolder('mediamill-local-test-')
await mkdir(join(folder, 'tmp'))

const half = (color: string) =>
  sharp({ create: { width: 60, height: 80, channels: 3, background: color } })
    .png()
    .toBuffer()
await sharp({ create: { width: 120, height: 80, channels: 3, background: '#ff0000' } })
  .composite([{ input: await half('#0000ff'), left: 60, top: 0 }])
  .png()
  .toFile(join(folder, 'photo.png'))
await sharp({ create: { width: 10, height: 10, channels: 3, background: '#00ff00' } })
  .png()
  .toFile(join(folder, 'logo.png'))
await writeFile(join(folder, 'broken.png'), (await readFile(join(folder, 'photo.png'))).subarray(0, 60))

async function mediamill(args: string[], input?: Buffer, settings = {}) {
  const env = { ...settings, PATH: '/usr/bin:/bin', HOME: folder, TMPDIR: join(folder, 'tmp') }
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code: Number(code) }
}

async function pixel(file: string, left: number, top: number): Promise<number[]> {
  const { data } = await sharp(join(folder, file))
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data].map((value) => Math.round(value / 255))
}

describe('process --local and try, which need no service', { concurrency: 1 }, () => {
  test('--local rejects a --format that contradicts the extension of -o, and accepts another name of the same format', async () => {
    const wrong = await mediamill(['process', 'photo.png', '--grayscale', '--local', '--format', 'jpg', '-o', 'a.png'])
    assert.deepEqual([wrong.code, wrong.out], [2, ''])
    assert.match(wrong.err, /--format makes a file in the format jpg, but -o ends with \.png\./)
    const url = 'https://example.com/clip.mp4'
    const still = await mediamill(['screenshot', url, '--at', '1', '--local', '--format', 'jpg', '-o', '{name}.mp4'])
    assert.match(still.err, /but -o ends with \.mp4\./)
    for (const [format, name] of [
      ['jpeg', 'a.jpg'],
      ['jpg', 'a.bin'],
    ] as const) {
      const ran = await mediamill(['process', 'photo.png', '--grayscale', '--local', '--format', format, '-o', name])
      assert.deepEqual([ran.code, ran.out], [0, `${name}\n`], ran.err)
      assert.equal((await sharp(await readFile(join(folder, name))).metadata()).format, 'jpeg')
    }
  })

  test('--local rejects a watermark image of a format that watermarks do not support', async () => {
    await sharp(join(folder, 'logo.png')).toFile(join(folder, 'logo.tif'))
    const ran = await mediamill(['process', 'photo.png', '--local', '--watermark', 'logo.tif,x=0,y=0', '-o', 'w.png'])
    assert.equal(ran.code, 1)
    assert.match(ran.err, /The watermark image is a TIFF.* A watermark is a JPEG, PNG, GIF, or WEBP/)
  })

  test('--local processes a file without a database, a service, or a key, and applies operations in the typed order', async () => {
    const ran = await mediamill([
      'process',
      'photo.png',
      '--local',
      '--resize',
      '60x40',
      '--watermark',
      'logo.png,x=0,y=0',
      '--rotate',
      '90',
      '-o',
      'out/{name}.{ext}',
      '--format',
      'png',
    ])
    assert.deepEqual([ran.code, ran.out], [0, 'out/photo.png\n'], ran.err)
    assert.match(ran.err, /^photo\.png: 40x60 PNG [\d.]+ (?:KB|bytes)\n$/)
    // The rotation moved the corner of the watermark to the right.
    assert.deepEqual(await pixel('out/photo.png', 39, 0), [0, 1, 0])
    assert.deepEqual(await pixel('out/photo.png', 20, 20), [1, 0, 0])
    assert.deepEqual(await pixel('out/photo.png', 20, 50), [0, 0, 1])
    const { uid, mode } = await stat(join(folder, 'out/photo.png'))
    assert.deepEqual([uid, mode & 0o777], [process.getuid?.(), 0o666 & ~process.umask()])
  })

  test('--output saves several files with --local, under the same names as with a server', async () => {
    const small = String.raw`name=small,format=avif,resize=60x40,watermark=logo.png\,x=0\,y=0`
    const ran = await mediamill(['process', 'photo.png', '--local', '--output', 'format=png', '--output', small])
    assert.deepEqual([ran.code, ran.out], [0, 'photo-0.png\nphoto-small.avif\n'], ran.err)
    assert.deepEqual(await pixel('photo-0.png', 0, 0), [1, 0, 0])
    assert.deepEqual(await pixel('photo-small.avif', 2, 2), [0, 1, 0])
  })

  test('an --output without a format uses the format of -o, and a different format is rejected', async () => {
    const args = ['process', 'photo.png', '--local', '--output']
    const one = await mediamill([...args, 'resize=8x8', '-o', 'small.webp'])
    assert.equal(one.code, 0, one.err)
    assert.equal((await sharp(join(folder, 'small.webp')).metadata()).format, 'webp')
    const two = await mediamill([...args, 'name=a', '--output', 'name=b', '-o', 'two-{output}.webp'])
    assert.equal(two.code, 0, two.err)
    assert.equal((await sharp(join(folder, 'two-b.webp')).metadata()).format, 'webp')
    const wrong = await mediamill([...args, 'format=jpg', '-o', 'wrong.png'])
    assert.equal(wrong.code, 2)
    assert.match(wrong.err, /--output makes a file in the format jpg, but -o ends with \.png\./)
  })

  test('--local rejects --template, which only a server has, and --estimate, because --local is free', async () => {
    for (const [args, expected] of [
      [['--template', 'product'], /Templates are stored on a server: leave out --local/],
      [['--grayscale', '--estimate'], /--local is free, so it cannot be combined with --estimate\./],
    ] as const) {
      const ran = await mediamill(['process', 'photo.png', '--local', ...args])
      assert.equal(ran.code, 2)
      assert.match(ran.err, expected)
    }
  })

  test('process --local does not change the input file, and leaves only the result', async () => {
    assert.deepEqual(await readdir(join(folder, 'tmp')), [])
    assert.equal((await stat(join(folder, 'photo.png'))).uid, process.getuid?.())
    assert.equal((await stat(join(folder, '.cache/mediamill'))).mode & 0o777, 0o700)
  })

  test('process --local continues after an invalid file, prints a table, and exits with 1', async () => {
    const ran = await mediamill(['process', 'photo.png', 'broken.png', '--local', '--grayscale', '-o', 'gray/'])
    assert.deepEqual([ran.code, ran.out], [1, 'gray/photo.jpg\n'])
    assert.match(ran.err, /\nINPUT +REASON\nbroken\.png +\S.*\n\n?mediamill: 1 of 2 inputs failed/)
    assert.deepEqual(await readdir(join(folder, 'gray')), ['photo.jpg'])
  })

  test('--local writes the result of piped input to stdout, and nothing else', async () => {
    const ran = await mediamill(
      ['process', '-', '--local', '--resize', '6x4', '-o', '-'],
      await readFile(join(folder, 'photo.png')),
    )
    assert.equal(ran.code, 0, ran.err)
    const piped = await mediamill(['read', 'photo.png', '--local', '--json'])
    const { input, ok, data } = JSON.parse(piped.out)
    assert.deepEqual([input, ok, data.width, data.height, data.format], ['photo.png', true, 120, 80, 'PNG'])
  })

  test('try saves the result next to the file, under an unused name [operator.commands.8]', async () => {
    await mkdir(join(folder, 'album'))
    await copyFile(join(folder, 'photo.png'), join(folder, 'album/photo.png'))
    const names = ['album/photo-result.webp', 'album/photo-result-2.webp']
    for (const name of names) {
      const ran = await mediamill(['try', 'album/photo.png', '--resize', '60x40', '--format', 'webp'])
      assert.deepEqual([ran.code, ran.out], [0, `${name}\n`], ran.err)
    }
    assert.deepEqual(await readdir(join(folder, 'album')), ['photo-result-2.webp', 'photo-result.webp', 'photo.png'])
  })

  test('try saves the result of a URL in the working directory, as process --local does [operator.commands.8]', async () => {
    await using sources = await startSourceServer({ '/far/away.png': await readFile(join(folder, 'photo.png')) })
    const settings = { ALLOWED_PRIVATE_HOSTS: sources.host }
    const ran = await mediamill(['try', sources.url('/far/away.png'), '--grayscale'], undefined, settings)
    assert.deepEqual([ran.code, ran.out], [0, 'away-result.jpg\n'], ran.err)
    const args = ['process', sources.url('/far/away.png'), '--local', '--grayscale']
    const other = await mediamill(args, undefined, settings)
    assert.deepEqual([other.code, other.out], [0, 'away-result-2.jpg\n'], other.err)
  })

  test('try without an operation prints the metadata and writes nothing [operator.commands.8]', async () => {
    const before = await readdir(folder)
    const ran = await mediamill(['try', 'logo.png', '--json'])
    const { file, data } = JSON.parse(ran.out)
    assert.deepEqual([ran.code, file, data.format], [0, null, 'PNG'], ran.err)
    assert.deepEqual(await readdir(folder), before)
  })

  test('try with an invalid operation exits with the code for wrong usage, and a failed operation exits with 1 [operator.commands.8]', async () => {
    const ends = [
      [['--resize', '800'], 2, /^mediamill: --resize 800: height is missing: --resize WIDTHxHEIGHT/],
      [['--whistle', '3'], 2, /^mediamill: unknown option '--whistle'/],
      [['--a\u001b[2J\u009b\u202e'], 2, /^mediamill: unknown option '--a\\u001b\[2J\\u009b\\u202e'/],
      [['--crop', '5x5+500+0'], 1, /^mediamill: The crop starts at 500, 0, outside/],
    ] as const
    for (const [args, code, message] of ends) {
      const ran = await mediamill(['try', 'photo.png', ...args])
      assert.deepEqual([ran.code, ran.out], [code, ''])
      assert.match(ran.err, message)
    }
  })

  test('--local rejects a file that is not of the media type that --media names', async () => {
    const ran = await mediamill(['read', 'photo.png', '--local', '--media', 'document', '--json'])
    assert.deepEqual([ran.code, JSON.parse(ran.out).error.code], [1, 'unsupported_media'])
    assert.match(ran.out, /a PNG image: use images\/read/)
  })

  test('--local rejects an invalid operation with the same error code as the API', async () => {
    const ran = await mediamill(['process', 'photo.png', '--local', '--operation', '{"type":"swirl"}', '--json'])
    assert.equal(ran.code, 1)
    assert.equal(JSON.parse(ran.out).error.code, 'validation_failed')
  })
})
