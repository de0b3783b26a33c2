import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { commandLine, MAIN } from '@mediamill/lab/support/command-line'
import { until } from '@mediamill/lab/support/process'
import { startService } from '@mediamill/lab/support/service'
import { unwrap } from '@mediamill/sdk/src/webhooks'
import sharp from 'sharp'
import { z } from 'zod'

const service = await startService()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-cli-test-'))
after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const at = (name: string) => join(folder, name)
const draw = async (name: string, background: string, width = 120, height = 80) =>
  await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toFile(at(name))
await draw('photo.png', '#ff0000')
await draw('logo.png', '#00ff00', 10, 10)
await mkdir(at('in/deep'), { recursive: true })
await mkdir(at('same'))
await draw('in/a.png', '#0000ff')
await draw('in/deep/b.png', '#ffff00')

const env = { MEDIAMILL_URL: service.url, MEDIAMILL_API_KEY: service.account.liveKey }
const mediamill = async (args: string[], more: Partial<Parameters<typeof commandLine>[1]> = {}) =>
  await commandLine(args, { folder, env, ...more })

const countRequests = async () => {
  const [row] = await service.sql<{ count: number }[]>`select count(*)::int as count from requests`
  return row?.count ?? 0
}

/** A line of `--json`. */
const LINE = z.discriminatedUnion('ok', [
  z.strictObject({
    input: z.string(),
    ok: z.literal(true),
    file: z.string().nullable(),
    reused: z.boolean(),
    data: z.record(z.string(), z.unknown()).nullable(),
    request: z.looseObject({ id: z.int(), status: z.literal('succeeded') }).nullable(),
  }),
  z.strictObject({
    input: z.string(),
    ok: z.literal(false),
    error: z.strictObject({ code: z.string(), message: z.string(), operation: z.int().optional() }),
  }),
])
const linesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => LINE.parse(JSON.parse(line)))

const ESCAPE = '\u001b'

describe('the client’s command line', { concurrency: 1 }, () => {
  test('a file is sent, worked on in the order typed with a logo of this machine, and saved', async () => {
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

  test('the same again starts nothing: a result that is there is left, one that is gone is fetched', async () => {
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

  test('a file of somebody else is never written over, and nothing is charged for finding that out', async () => {
    await writeFile(at('mine.png'), 'mine')
    const before = await countRequests()
    const ran = await mediamill(['process', 'photo.png', '--resize', '31x20', '-o', 'mine.png'])
    assert.deepEqual([ran.code, await readFile(at('mine.png'), 'utf8'), await countRequests()], [1, 'mine', before])
    assert.match(ran.err, /mediamill: mine\.png is there already: --force writes over it\./)
    const named = await mediamill(['process', 'photo.png', '--resize', '31x20'])
    await writeFile(at('photo-result.jpg'), 'mine')
    const next = await mediamill(['process', 'photo.png', '--resize', '32x20'])
    assert.deepEqual([named.out, next.out], ['photo-result.jpg\n', 'photo-result-2.jpg\n'])
  })

  test('a folder is done with its folders, one bad file stops nothing, and every line of --json is of one shape', async () => {
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
    assert.match(ran.err, /1 file of another kind is skipped\.\n[^]*1 of 3 inputs were not done/)
    const table = await mediamill(['process', 'in', '--grayscale', '-o', 'gray/'])
    assert.match(table.err, /INPUT +REASON\nin\/bad\.png +\S/)
    assert.ok(![ran.out, ran.err, table.out, table.err].some((text) => text.includes(ESCAPE)))
  })

  test('what is piped in goes out again as it is, and is read', async () => {
    const piped = await mediamill(['process', '-', '--resize', '12x8', '--format', 'png'], {
      input: await readFile(at('photo.png')),
    })
    assert.equal((await sharp(piped.bytes).metadata()).width, 12)
    const read = await mediamill(['read', 'photo.png'])
    assert.match(read.out, /width +120\n[^]*height +80/)
  })

  test('an estimate starts nothing', async () => {
    const before = await countRequests()
    const ran = await mediamill(['process', 'in/a.png', 'photo.png', '--grayscale', '--estimate'])
    assert.match(ran.out, /in\/a\.png +\$0\.002\nphoto\.png +\$0\.002\ntogether +\$0\.004\n/)
    assert.equal(await countRequests(), before)
  })

  test('files of the same content are one request, whose price is told once and summed once', async () => {
    for (const name of ['one', 'two', 'three']) await draw(`same/${name}.png`, '#123456')
    await draw('same/other.png', '#654321')
    const names = ['one', 'two', 'three', 'other'].map((name) => `same/${name}.png`)
    const told = await mediamill(['process', ...names, '--resize', '31x31', '--estimate'])
    const once = 'charged once with same/one\\.png\n'
    assert.match(told.out, new RegExp(`one\\.png +\\$0\\.002\n\\S+two\\.png +${once}\\S+three\\.png +${once}`))
    assert.match(told.out, /other\.png +\$0\.002\ntogether +\$0\.004\n$/)
    const before = await countRequests()
    const ran = await mediamill(['process', ...names, '--resize', '31x31', '-o', 'same-out/'])
    assert.equal(ran.code, 0, ran.err)
    assert.equal(await countRequests(), before + 2)
    assert.equal(ran.err.match(/, \$0\.002\n/g)?.length, 2, ran.err)
    assert.equal(ran.err.match(/, charged once with same\/(?:one|two|three)\.png\n/g)?.length, 2, ran.err)
    assert.match(ran.err, /\nTogether: \$0\.004\n$/)
    assert.equal(ran.out.trimEnd().split('\n').length, 4)
  })

  test('requests are shown, waited for, saved, listed and aborted; usage and account are told', async () => {
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
    assert.match((await mediamill(['upload', 'logo.png'])).out, /^upload:upl_[0-9a-f]{32}\n$/)
  })

  test('a stamp of a text or a logo is made, and is laid over a picture', async () => {
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

  test('a profile is kept in a file of 0600, and its key goes to its own service alone', async () => {
    const home = await mkdtemp(join(folder, 'home-'))
    const own = { HOME: home }
    const kept = await mediamill(['login', `${service.url}/`], { env: own, input: `${service.account.liveKey}\n` })
    assert.equal(kept.code, 0, kept.err)
    const path = join(home, '.config/mediamill/config.json')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.ok(!kept.out.includes(service.account.liveKey) && !kept.err.includes(service.account.liveKey))
    assert.equal((await mediamill(['account'], { env: own })).code, 0)
    assert.equal((await mediamill(['account', '--url', service.url], { env: own })).code, 0)
    const other = await mediamill(['account', '--url', 'http://127.0.0.1:9'], { env: own })
    assert.match(other.err, /There is no key for http:\/\/127\.0\.0\.1:9/)
    const wrong = await mediamill(['login', service.url, '--profile', 'wrong'], {
      env: own,
      input: 'svc_live_nonsense',
    })
    assert.deepEqual([wrong.code, JSON.parse(await readFile(path, 'utf8')).profiles.wrong], [1, undefined])
  })

  test('what was typed wrong ends with 2 and is told in one line; nothing was begun', async () => {
    for (const args of [
      ['process', 'photo.png'],
      ['process', 'photo.png', '--resize', 'big'],
      ['process', 'photo.png', 'logo.png', '--grayscale', '-o', 'one.png'],
      ['process', 'photo.png', '--watermark', 'none.png'],
      ['screenshot', 'photo.png'],
      ['screenshot', 'photo.png', '--at', 'noon'],
      ['process', 'photo.png', 'logo.png', '--grayscale', '--format', 'avif'],
      ['process', 'photo.png', '--grayscale', '-o', 'photo.pdf'],
      ['screenshot', 'https://example.com/clip.mp4', '--at', '1', '--format', 'webp'],
      ['account', '--profile', 'none'],
      ['proces'],
    ]) {
      const ran = await mediamill(args)
      assert.deepEqual([ran.code, ran.out], [2, ''], args.join(' '))
      assert.match(ran.err, /^mediamill: (?!error)/, args.join(' '))
    }
  })

  test('a single failure is printed once', async () => {
    await writeFile(at('broken.png'), (await readFile(at('photo.png'))).subarray(0, 60))
    const ran = await mediamill(['process', 'broken.png', '--grayscale', '-o', 'broken.jpg'])
    assert.equal(ran.code, 1)
    assert.equal(ran.err.trimEnd().split('\n').length, 1, ran.err)
  })

  test('an output that cannot be written is one line and exit code 1: a full device, a closed pipe', async () => {
    for (const [to, codes] of [
      ['> /dev/full', /ENOSPC/],
      ['| true', /EPIPE/],
    ] as const) {
      await draw('noise.png', '#102030', 3000, 3000)
      const command = `${process.execPath} ${MAIN} process noise.png --flip horizontal --format tif -o -`
      const { stderr, stdout } = await promisify(execFile)(
        'bash',
        ['-c', `${command} ${to}; echo "code \${PIPESTATUS[0]}" >&2`],
        {
          cwd: folder,
          env: { ...env, HOME: folder, PATH: '/usr/bin:/bin' },
        },
      )
      assert.equal(stdout, '')
      const lines = stderr.trimEnd().split('\n')
      assert.equal(lines.at(-1), 'code 1', stderr)
      assert.match(lines.at(-2) ?? '', codes)
      assert.doesNotMatch(stderr, /\n +at /)
    }
  })

  test('requests shows the name of an uploaded file, and the code of a failure', async () => {
    await mediamill(['process', 'in/a.png', '--resize', '61x61', '-o', 'named.jpg'])
    await writeFile(at('cut.png'), (await readFile(at('photo.png'))).subarray(0, 61))
    await mediamill(['process', 'cut.png', '--resize', '61x61', '-o', 'cut.jpg'])
    const { out } = await mediamill(['requests', '--limit', '2'])
    const [, failed = '', succeeded = ''] = out.split('\n')
    assert.match(succeeded, /succeeded +images\/process +\$0\.002 .* a\.png$/, out)
    assert.match(failed, /failed +images\/process +\$0\.00 .* cut\.png: [a-z_]+: \S/)
  })

  test('Ctrl-C ends a batch with 130, and leaves no half file', async () => {
    const others = await startService({ workers: false })
    try {
      const waiting = { MEDIAMILL_URL: others.url, MEDIAMILL_API_KEY: others.account.liveKey }
      const queued = async () => (await others.sql`select 1 from requests where status = 'queued'`).length
      const ran = await mediamill(['process', 'in', '--grayscale', '-o', 'never/'], {
        env: waiting,
        onStart: (child) => void until(async () => (await queued()) === 3).then(() => child.kill('SIGINT')),
      })
      assert.deepEqual([ran.code, ran.out], [130, ''])
      await assert.rejects(access(at('never')))
    } finally {
      await others[Symbol.asyncDispose]()
    }
  })

  test('what is piped in is read once however often it is named, and an empty file is told as one', async () => {
    const input = await readFile(at('photo.png'))
    const twice = await mediamill(['process', '-', '-', '--resize', '9x9', '-o', 'twice.png'], { input })
    assert.deepEqual([twice.code, twice.out], [0, 'twice.png\n'], twice.err)
    const none = await mediamill(['process', '-', '--resize', '9x9', '-o', 'none.png'], { input: '' })
    assert.equal(none.code, 1)
    assert.match(none.err, /mediamill: What is piped in is empty\./)
    await writeFile(at('empty\n.png'), '')
    const empty = await mediamill(['process', 'empty\n.png', 'photo.png', '--resize', '9x9', '-o', 'some/'])
    assert.match(empty.err, /^INPUT +REASON\nempty\\n\.png +empty\\n\.png is empty\.$/m)
    assert.match(empty.err, /1 of 2 inputs were not done; the others were\./)
  })

  test('--print shows a call that does the same: curl and TypeScript are run here', async () => {
    const args = ['process', 'photo.png', '--resize', '33x22', '--watermark', 'logo.png,x=0,y=0']
    const shell = (await mediamill([...args, '--print', 'curl'])).out
    await promisify(execFile)('sh', ['-c', shell], { cwd: folder, env: { ...env, PATH: '/usr/bin:/bin' } })
    assert.equal((await sharp(at('photo-result.jpg')).metadata()).width, 33)
    await rm(at('photo-result.jpg'))
    assert.ok(!shell.includes(folder), 'paths are as they were typed')
    const facts = (await mediamill(['read', 'photo.png', '--print', 'curl'])).out
    const read = await promisify(execFile)('sh', ['-c', facts], { cwd: folder, env: { ...env, PATH: '/usr/bin:/bin' } })
    assert.equal(JSON.parse(read.stdout).result.data.width, 120)
    const library = join(import.meta.dirname, '../../../sdk/src/index.ts')
    const printed = (await mediamill([...args, '-o', 'made/logo.webp', '--print', 'ts'])).out
    assert.match(printed, /openFile\("photo\.png"\)[^]*openFile\("logo\.png"\)/)
    await mkdir(at('made'))
    const script = printed.replace('@mediamill/sdk', library)
    await writeFile(at('call.ts'), script)
    await promisify(execFile)(process.execPath, [at('call.ts')], { cwd: folder, env })
    const made = await sharp(at('made/logo.webp')).metadata()
    assert.deepEqual([made.width, made.format], [33, 'webp'])
    const inJson = await mediamill([...args, '--print', 'json'])
    const body = JSON.parse(inJson.out)
    assert.equal(body.source, 'upload:UPLOAD_1')
    assert.match(
      inJson.err,
      /^upload:UPLOAD_1 .*mediamill upload photo\.png\nupload:UPLOAD_2 .*mediamill upload logo\.png\n$/,
    )
    assert.deepEqual(body.operations[0], { type: 'resize', width: 33, height: 22 })
    const python = (await mediamill([...args, '--print', 'python'])).out
    assert.match(python, /session\.post\(f"\{url\}\/v1\/images\/process", json=\{"source": upload\("photo\.png"\)/)
    assert.match(python, /while request\["status"\] in [^]*with open\("photo-result\.jpg", "wb"\) as file:/)
  })

  test('listen forwards every event once, signed, and goes on behind the last one after it was away', async () => {
    const got: { id: string; type: string }[] = []
    const printed = await mediamill(['listen', '--print-secret'])
    const secret = printed.out.trim()
    const receiver = createServer((call, reply) => {
      const chunks: Buffer[] = []
      call.on('data', (chunk: Buffer) => chunks.push(chunk))
      call.on('end', () => {
        unwrap(Buffer.concat(chunks).toString(), call.headers, secret).then(
          ({ id, type }) => {
            got.push({ id, type })
            reply.end()
          },
          () => reply.writeHead(400).end(),
        )
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const to = `localhost:${(receiver.address() as AddressInfo).port}/hook`.replace('localhost', '127.0.0.1')
    const follow = async (args: string[], isEnough: () => boolean, begin: () => Promise<unknown>) =>
      await mediamill(['listen', '--forward-to', to, '--format', 'json', ...args], {
        onStart: (child) => {
          child.stderr?.on('data', (chunk: Buffer) => {
            if (String(chunk).includes('Following')) void begin()
          })
          void until(isEnough)
            .then(() => until(() => child.stdout?.readableLength === 0))
            .then(() => child.kill('SIGINT'))
        },
      })
    const make = async (n: number) =>
      await mediamill(['process', 'photo.png', '--resize', `${n}x10`, '-o', `listen-${n}.png`])
    const first = await follow(
      [],
      () => got.length === 1,
      async () => await make(41),
    )
    assert.equal(first.code, 0, first.err)
    await make(42)
    await make(43)
    const second = await follow(
      ['--resume'],
      () => got.length >= 3,
      async () => {},
    )
    receiver.close()
    const told = [...first.out.trim().split('\n'), ...second.out.trim().split('\n')].map((line) => JSON.parse(line))
    assert.deepEqual(
      told.map(({ id, forwarded }) => [id, forwarded.status]),
      got.map(({ id }) => [id, 200]),
    )
    assert.equal(new Set(got.map(({ id }) => id)).size, 3)
  })
})
