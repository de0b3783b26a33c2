import assert from 'node:assert/strict'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { at, countRequests, draw, ESCAPE, linesOf, mediamill, service } from './command-line-fixture.ts'

describe('the client’s command line', { concurrency: 1 }, () => {
  test('mediamill process sends a file, applies the operations in the typed order with a local logo, and saves the result', async () => {
    const ran = await mediamill([
      'process',
      'photo.png',
      '--resize',
      '60x40',
      '--watermark',
      'logo.png,x=0,y=0',
      '--rotate',
      '90',
      '-o',
      'out/small.png',
    ])
    assert.deepEqual([ran.code, ran.out], [0, 'out/small.png\n'], ran.err)
    assert.match(ran.err, /^photo\.png: 40x60 PNG [\d.]+ (?:KB|bytes), \$0\.002\n$/)
    const { data } = await sharp(at('out/small.png'))
      .extract({ left: 39, top: 0, width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.deepEqual([...data], [0, 255, 0])
  })

  test('the second run of the same CLI command creates no request, keeps existing results, and downloads missing results again', async () => {
    const args = ['process', 'photo.png', '--resize', '30x20', '-o', 'again.png']
    assert.equal((await mediamill(args)).code, 0)
    const before = await countRequests()
    const second = await mediamill([...args, '--json'])
    const [kept] = linesOf(second.out)
    assert.ok(kept?.ok === true && kept.reused)
    assert.deepEqual([kept.file, kept.request?.status, kept.data?.['width']], ['again.png', 'succeeded', 30])
    await rm(at('again.png'))
    const third = await mediamill(args)
    assert.deepEqual([third.code, third.out, await countRequests()], [0, 'again.png\n', before])
    assert.match(third.err, /charged by an earlier run\n/)
    assert.doesNotMatch(third.err, /\$/)
    assert.equal((await sharp(at('again.png')).metadata()).width, 30)
    await mediamill([...args, '--fresh', '--force'])
    assert.equal(await countRequests(), before + 1)
  })

  test('a command never overwrites a file that it did not create, and rejects such an output path before any charge', async () => {
    await writeFile(at('mine.png'), 'mine')
    const before = await countRequests()
    const ran = await mediamill(['process', 'photo.png', '--resize', '31x20', '-o', 'mine.png'])
    assert.deepEqual([ran.code, await readFile(at('mine.png'), 'utf8'), await countRequests()], [1, 'mine', before])
    assert.match(ran.err, /mediamill: mine\.png already exists\. Use --force to overwrite it\./)
    const named = await mediamill(['process', 'photo.png', '--resize', '31x20'])
    await writeFile(at('photo-result.jpg'), 'mine')
    const next = await mediamill(['process', 'photo.png', '--resize', '32x20'])
    assert.deepEqual([named.out, next.out], ['photo-result.jpg\n', 'photo-result-2.jpg\n'])
  })

  test('mediamill process processes a folder with its subfolders, continues after a bad file, and prints one JSON line per file', async () => {
    await writeFile(at('in/bad.png'), (await readFile(at('photo.png'))).subarray(0, 60))
    await writeFile(at('in/notes.txt'), 'a text')
    const ran = await mediamill(['process', 'in', '--grayscale', '-o', 'gray/', '--json'])
    const lines = linesOf(ran.out)
    assert.equal(ran.code, 1)
    assert.deepEqual(
      lines.map(({ input, ok }) => [input, ok]).toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      [
        ['in/a.png', true],
        ['in/bad.png', false],
        ['in/deep/b.png', true],
      ],
    )
    assert.deepEqual((await readdir(at('gray'), { recursive: true })).toSorted(), ['a.jpg', 'deep', 'deep/b.jpg'])
    assert.match(ran.err, /1 file of another kind is skipped\.\n[^]*1 of 3 inputs failed/)
    const table = await mediamill(['process', 'in', '--grayscale', '-o', 'gray/'])
    assert.match(table.err, /INPUT +REASON\nin\/bad\.png +\S/)
    assert.ok(![ran.out, ran.err, table.out, table.err].some((text) => text.includes(ESCAPE)))
  })

  test('a command writes the result of piped input to stdout, and reads the metadata of piped input', async () => {
    const piped = await mediamill(['process', '-', '--resize', '12x8', '--format', 'png'], {
      input: await readFile(at('photo.png')),
    })
    assert.equal((await sharp(piped.bytes).metadata()).width, 12)
    const read = await mediamill(['read', 'photo.png'])
    assert.match(read.out, /width +120\n[^]*height +80/)
  })

  test('--estimate creates no request, and prints each price and the total', async () => {
    const before = await countRequests()
    const ran = await mediamill(['process', 'in/a.png', 'photo.png', '--grayscale', '--estimate'])
    assert.match(ran.out, /in\/a\.png +\$0\.002\nphoto\.png +\$0\.002\ntogether +\$0\.004\n/)
    assert.equal(await countRequests(), before)
  })

  test('several files with the same content make one request and are charged once', async () => {
    for (const name of ['one', 'two', 'three']) await draw(`same/${name}.png`, '#123456')
    await draw('same/other.png', '#654321')
    const names = ['one', 'two', 'three', 'other'].map((name) => `same/${name}.png`)
    const shown = await mediamill(['process', ...names, '--resize', '31x31', '--estimate'])
    const once = 'same content as same/one\\.png, charged once\n'
    assert.match(shown.out, new RegExp(`one\\.png +\\$0\\.002\n\\S+two\\.png +${once}\\S+three\\.png +${once}`))
    assert.match(shown.out, /other\.png +\$0\.002\ntogether +\$0\.004\n$/)
    const before = await countRequests()
    const ran = await mediamill(['process', ...names, '--resize', '31x31', '-o', 'same-out/'])
    assert.equal(ran.code, 0, ran.err)
    assert.equal(await countRequests(), before + 2)
    assert.equal(ran.err.match(/, \$0\.002\n/g)?.length, 2, ran.err)
    assert.equal(ran.err.match(/, same content as same\/(?:one|two|three)\.png, charged once\n/g)?.length, 2, ran.err)
    assert.match(ran.err, /\nTotal: \$0\.004\n$/)
    assert.equal(ran.out.trimEnd().split('\n').length, 4)
  })

  test('the client shows, waits for, saves, lists, and aborts requests, and prints usage and the account', async () => {
    const [line] = linesOf(
      (await mediamill(['process', 'photo.png', '--flip', 'horizontal', '-o', 'flip.png', '--json'])).out,
    )
    const id = String(line?.ok === true ? line.request?.id : '')
    assert.equal(JSON.parse((await mediamill(['get', id, '--json'])).out).status, 'succeeded')
    const got = await mediamill(['get', id, '-o', 'got.png'])
    assert.deepEqual([got.out, got.err], ['got.png\n', ''])
    assert.deepEqual(await readFile(at('got.png')), await readFile(at('flip.png')))
    assert.match(
      (await mediamill(['requests', '--limit', '2'])).out,
      new RegExp(`^ID [^]*\n${id} +succeeded +images/process`),
    )
    const aborted = await mediamill(['abort', id])
    assert.deepEqual([aborted.code, aborted.out], [1, ''])
    assert.match((await mediamill(['usage', '--by', 'endpoint'])).out, /images\/process/)
    assert.match((await mediamill(['account'])).out, /balance/)
    for (const others of [[], ['missing.png']]) {
      const uploaded = await mediamill(['upload', 'logo.png', ...others])
      assert.deepEqual(
        [uploaded.code, uploaded.err.includes('1 of 2 files were not uploaded.')],
        others.length === 0 ? [0, false] : [1, true],
      )
      assert.match(uploaded.out, /^upload:upl_[0-9a-f]{32}\n$/)
    }
  })

  test('if a request has outputs, the get command saves each result file under the name or number of its output, and lists each file', async () => {
    const outputs = [{ name: 'large', format: 'png' }, { name: 'small', format: 'webp' }, {}]
    const source = (await mediamill(['upload', 'photo.png'])).out.trim()
    const { id } = await service.finish('/v1/images/process', { source, outputs })
    const saved = await mediamill(['get', String(id), '-o', 'many/shop.png'])
    const names = ['shop-large.png', 'shop-small.webp', 'shop-2.jpg'].map((name) => join('many', name))
    assert.deepEqual([saved.code, saved.out], [0, `${names.join('\n')}\n`], saved.err)
    for (const name of names) assert.ok((await readFile(at(name))).length > 100, name)
    const inFolder = await mediamill(['get', String(id), '-o', 'many/'])
    assert.match(inFolder.out, new RegExp(`${id}-large\\.png\n.*${id}-small\\.webp\n.*${id}-2\\.jpg\n$`))
    assert.equal((await mediamill(['get', String(id), '-o', 'many/shop.png'])).code, 1, 'nothing is overwritten')
    assert.match(
      (await mediamill(['get', String(id)])).out,
      /\n {2}file large +http.*\n {2}file small +http.*\n {2}file 2 +http/,
    )
  })

  test('--output makes several files in one request, and a second run of the command keeps them', async () => {
    const args = ['process', 'photo.png', '--grayscale', '-o', 'sizes/']
    args.push('--output', 'name=large,format=png,resize=60x40')
    args.push('--output', String.raw`name=small,format=avif,resize=30x20,watermark=logo.png\,x=0\,y=0`)
    const before = await countRequests()
    const priced = await mediamill([...args, '--estimate'])
    assert.match(priced.out, /photo\.png +\$0\.004\n/)
    const ran = await mediamill(args)
    assert.deepEqual([ran.code, ran.out], [0, 'sizes/photo-large.png\nsizes/photo-small.avif\n'], ran.err)
    assert.match(ran.err, /^photo\.png: 60x40 PNG .*, \$0\.004\n$/)
    const sizes = await Promise.all(
      ran.out
        .trim()
        .split('\n')
        .map((path) => sharp(at(path)).metadata()),
    )
    assert.deepEqual(
      sizes.map(({ width, format, channels }) => [width, format === 'heif' ? 'avif' : format, channels]),
      [
        [60, 'png', 3],
        [30, 'avif', 3],
      ],
    )
    await rm(at('sizes/photo-small.avif'))
    const [line] = linesOf((await mediamill([...args, '--json'])).out)
    assert.ok(line?.ok === true && !line.reused)
    assert.deepEqual(line.files, ['sizes/photo-large.png', 'sizes/photo-small.avif'])
    assert.deepEqual(line.file, 'sizes/photo-large.png')
    const [kept] = linesOf((await mediamill([...args, '--json'])).out)
    assert.ok(kept?.ok === true && kept.reused && kept.files?.length === 2)
    assert.equal(await countRequests(), before + 1)
    const still = await mediamill([
      'screenshot',
      'clip.mp4',
      '--at',
      '0',
      '--output',
      'format=png',
      '--output',
      'resize=20x20',
    ])
    assert.deepEqual([still.code, still.out], [0, 'clip-0.png\nclip-1.jpg\n'], still.err)
  })

  test('--output rejects stdout, --format, and inputs that are not images', async () => {
    const before = await countRequests()
    for (const [args, message] of [
      [['photo.png', '-o', '-'], /2 files cannot be written to stdout/],
      [['photo.png', '--format', 'png'], /set format in each --output/],
      [['clip.mp4'], /--output only works on images, but clip\.mp4 is a video/],
      [['photo.png', '--output', 'small.webp'], /'--output <fields>' argument 'small\.webp' is invalid\. .* Use -o/],
    ] as const) {
      const ran = await mediamill(['process', ...args, '--output', 'name=a', '--output', 'name=b'])
      assert.notEqual(ran.code, 0)
      assert.match(ran.err, message)
    }
    assert.equal(await countRequests(), before)
  })

  test('the command read --level full prints the metadata that is embedded in the file', async () => {
    const basic = JSON.parse((await mediamill(['read', 'photo.png', '--json'])).out)
    const full = JSON.parse((await mediamill(['read', 'photo.png', '--level', 'full', '--json'])).out)
    assert.deepEqual([basic.data.thumbhash, typeof full.data.thumbhash], [undefined, 'string'])
    const wrong = await mediamill(['read', 'photo.png', '--level', 'all'])
    assert.match(wrong.err, /Allowed choices are basic, full/)
  })

  test('the stamp command creates a text or logo watermark and applies it to an image', async () => {
    const text = await mediamill([
      'stamp',
      'Ada',
      '--size',
      '20',
      '--color',
      '00ff00',
      '--outline',
      '--shadow',
      'blur=0,x=1',
    ])
    assert.match(text.out, /^upload:upl_[0-9a-f]{32}\n$/, text.err)
    const logo = JSON.parse((await mediamill(['stamp', '--image', 'logo.png', '--width', '20', '--json'])).out)
    assert.deepEqual([logo.width, logo.height], [20, 20])
    const mark = `${logo.source},x=100,y=60`
    const ran = await mediamill(['process', 'photo.png', '--watermark', mark, '-o', 'stamped.png'])
    assert.equal(ran.code, 0, ran.err)
    const corner = await sharp(at('stamped.png'))
      .extract({ left: 119, top: 79, width: 1, height: 1 })
      .removeAlpha()
      .raw()
      .toBuffer()
    assert.deepEqual([...corner], [0, 255, 0])
    assert.equal((await mediamill(['stamp'])).code, 2)
  })
})
