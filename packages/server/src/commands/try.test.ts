import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { run } from '@mediamill/lab/support/process'
import sharp from 'sharp'
import { freeName, planTrial } from './try/trial.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-try-'))
after(() => rm(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

/** A photo stored on its side, as phones do: the left half is red, the right half blue, rotated clockwise by EXIF. */
const half = (color: string) =>
  sharp({ create: { width: 60, height: 80, channels: 3, background: color } })
    .png()
    .toBuffer()
await sharp({ create: { width: 120, height: 80, channels: 3, background: '#ff0000' } })
  .composite([{ input: await half('#0000ff'), left: 60, top: 0 }])
  .withMetadata({ orientation: 6 })
  .jpeg({ quality: 95 })
  .toFile(at('photo.jpg'))
await sharp({ create: { width: 10, height: 10, channels: 3, background: '#00ff00' } })
  .png()
  .toFile(at('logo.png'))
await writeFile(at('offer'), '%PDF-1.4\n')
await writeFile(at('notes.txt'), 'a text')

/** Runs `mediamill try`. The folder holds the database's socket, so its path must be short. */
async function tryIt(...args: string[]): Promise<{ code: number | string; out: string; err: string }> {
  const command = run(['try', ...args], { LOG_LEVEL: 'error' })
  const code = await command.ended
  return { code, out: command.out(), err: command.err() }
}

async function pixel(file: string, left: number, top: number): Promise<number[]> {
  return [...(await sharp(file).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer())]
}

const isNear = (found: number[], wanted: number[]) =>
  found.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) < 16)

describe('mediamill try', { concurrency: 2 }, () => {
  test('applies operations to a local photo in the typed order, and saves the result next to it [operator.commands.8]', async () => {
    const watermark = `${at('logo.png')},x=0,y=0`
    const tried = await tryIt(
      at('photo.jpg'),
      '--orient',
      '--watermark',
      watermark,
      '--resize',
      '40x60',
      '--format',
      'png',
    )
    assert.deepEqual([tried.code, tried.err], [0, ''])
    const result = at('photo-result.png')
    assert.match(tried.out, /The result is in \S+photo-result\.png:\n +width +40\n +height +60\n +format +PNG\n/)
    const { width, height } = await sharp(result).metadata()
    assert.deepEqual([width, height], [40, 60])
    // Upright, the left half is on top. The watermark of 10 pixels was added before the resize to half the size.
    assert.ok(isNear(await pixel(result, 20, 10), [255, 0, 0]))
    assert.ok(isNear(await pixel(result, 20, 50), [0, 0, 255]))
    assert.ok(isNear(await pixel(result, 2, 2), [0, 255, 0]))
    assert.ok(isNear(await pixel(result, 8, 8), [255, 0, 0]))
    assert.match(tried.out, /POST \/v1\/images\/process\n {2}\{"source":"https:\/\/example\.com\/photo\.jpg"/)
  })

  test("without an operation, prints the file's metadata and writes nothing [operator.commands.8]", async () => {
    const before = await readdir(folder)
    const { code, out } = await tryIt(at('logo.png'), '--json')
    assert.equal(code, 0)
    const { file, request } = JSON.parse(out)
    assert.deepEqual([file, request.endpoint, request.result.data.format], [undefined, 'images/read', 'PNG'])
    assert.deepEqual(
      (await readdir(folder)).filter((name) => !before.includes(name) && !name.includes('result')),
      [],
    )
  })

  test("prints the service's error message and exits with 1 [operator.commands.8]", async () => {
    const { code, err } = await tryIt(at('photo.jpg'), '--crop', '5x5+500+0')
    assert.deepEqual(
      [code, err.startsWith('mediamill: The request failed: The crop starts at 500, 0, outside')],
      [1, true],
    )
  })

  test('an impossible option is wrong usage, before anything starts [operator.commands.8, operator.commands.1]', async () => {
    for (const [args, message] of [
      [['--resize', '800'], /^mediamill: --resize 800: height is missing: --resize WIDTHxHEIGHT/],
      [['--filter', 'sunset'], /^mediamill: --filter sunset: name must be one of amaro, /],
      [['--whistle', '3'], /^mediamill: unknown option '--whistle'/],
    ] as const) {
      const { code, out, err } = await tryIt(at('photo.jpg'), ...args)
      assert.deepEqual([code, out], [2, ''])
      assert.match(err, message)
    }
  })
})

const orient = { type: 'orient' }

test('the content of a file selects the endpoint, independent of its name [sources.formats.1]', async () => {
  assert.equal((await planTrial(at('offer'), [], {})).endpoint, 'documents/read')
  assert.equal((await planTrial(at('photo.jpg'), [orient], {})).endpoint, 'images/process')
  await assert.rejects(planTrial(at('notes.txt'), [orient], {}), /notes\.txt is not in a supported format.* JPEG, PNG/)
  await assert.rejects(planTrial(at('nothing'), [orient], {}), /The file \S+nothing does not exist\.$/)
  await assert.rejects(
    planTrial(at('offer'), [orient], {}),
    /^OperatorError: --orient works on images, and offer is a document\.$/,
  )
})

test('--format selects the format, or else the name in --out [operator.commands.8]', async () => {
  const formatOf = async (asked: object) => (await planTrial(at('photo.jpg'), [orient], asked)).body(() => 'u')
  const output = (format: string) => ({ source: 'u', operations: [orient], output: { format } })
  assert.deepEqual(await formatOf({}), { source: 'u', operations: [orient] })
  assert.deepEqual(await formatOf({ format: 'WEBP' }), output('webp'))
  assert.deepEqual(await formatOf({ out: at('a.jpeg') }), output('jpg'))
  assert.deepEqual(await formatOf({ out: at('a.tiff'), format: 'png' }), output('png'))
  await assert.rejects(
    formatOf({ out: at('a.bmp') }),
    /"bmp" is not a format for an image. Use jpg, png, webp, gif, tif\./,
  )
})

test('never overwrites an input file, by its name or through a link', async () => {
  await symlink(at('photo.jpg'), at('link.jpg'))
  const mark = { type: 'watermark', image_url: at('logo.png'), x: 0, y: 0 }
  for (const name of ['photo.jpg', 'link.jpg', 'logo.png']) {
    await assert.rejects(
      planTrial(at('photo.jpg'), [mark], { out: at(name) }),
      /--out would overwrite the input file \S+\./,
    )
  }
  await assert.rejects(
    planTrial(at('photo.jpg'), [orient], { out: at('no/a.jpg') }),
    /The folder \S+\/no does not exist\./,
  )
  await writeFile(at('taken-result.jpg'), '')
  await writeFile(at('taken-result-2.jpg'), '')
  assert.equal(await freeName(at('taken.heic'), 'jpg'), at('taken-result-3.jpg'))
  assert.ok((await readFile(at('photo.jpg'))).length > 0)
})

test('local files get URLs of the local server, and other URLs are unchanged', async () => {
  const marks = [
    { type: 'watermark', image_url: 'https://example.com/a.png', x: 0, y: 0 },
    { type: 'watermark', image_url: at('logo.png'), x: 0, y: 0, diagonal_lines_color: 'fff' },
  ]
  const trial = await planTrial(at('photo.jpg'), marks, {})
  assert.deepEqual(trial.files, [at('photo.jpg'), at('logo.png')])
  const body = trial.body((path) => `served:${path}`)
  assert.deepEqual(body, {
    source: `served:${at('photo.jpg')}`,
    operations: [marks[0], { ...marks[1], image_url: `served:${at('logo.png')}` }],
  })
  await assert.rejects(
    planTrial(at('photo.jpg'), [{ ...orient }, { ...marks[1], type: 'watermark', image_url: 'no.png' }], {}),
  )
})
