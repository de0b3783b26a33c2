import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { access, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { MAIN } from '@mediamill/lab/support/command-line'
import { until } from '@mediamill/lab/support/process'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { startService } from '@mediamill/lab/support/service'
import sharp from 'sharp'
import { createKey } from '../../src/accounts/create-key.ts'
import { at, countRequests, draw, env, folder, mediamill, service } from './command-line-fixture.ts'

const noTemplate = (name: string) =>
  `There is no template ${name} in this account. To list its templates, run mediamill templates list.`

describe('the client’s command line: profiles, errors, templates, and output', { concurrency: 1 }, () => {
  test("mediamill login stores a profile in a file with mode 0600, and sends the profile's key only to the profile's service", async () => {
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

  test('if the key cannot read the account, a command explains which key it needs', async () => {
    const restrictions = { create_only: true }
    const made = await createKey(service.sql, service.account.id, { name: 'page', mode: 'live', restrictions })
    const { code, err } = await mediamill(['login', service.url, '--profile', 'page'], { input: made?.key ?? '' })
    assert.equal(code, 1)
    assert.match(
      err,
      /This command needs a key that can read the account: the endpoints of the key must include account, /,
    )
  })

  test('a command reports a typing mistake in one line with exit code 2, and starts nothing', async () => {
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

  test('an error that concerns a single file is printed only once', async () => {
    await writeFile(at('broken.png'), (await readFile(at('photo.png'))).subarray(0, 60))
    const ran = await mediamill(['process', 'broken.png', '--grayscale', '-o', 'broken.jpg'])
    assert.equal(ran.code, 1)
    assert.equal(ran.err.trimEnd().split('\n').length, 1, ran.err)
    const before = await countRequests()
    const again = await mediamill(['process', 'broken.png', '--grayscale', '-o', 'broken.jpg'])
    assert.deepEqual([again.code, await countRequests()], [1, before + 1], 'a failed request is repeated')
  })

  test('if the API rejects a request, the command prints the error and exits with 1', async () => {
    const { id, liveKey } = await openAccount(service.sql)
    await service.sql`update accounts set balance = 0 where id = ${id}`
    const ran = await mediamill(['process', 'photo.png', '--grayscale', '-o', 'unpaid.png'], {
      env: { ...env, MEDIAMILL_API_KEY: liveKey },
    })
    assert.equal(ran.code, 1)
    assert.match(ran.err, /credit/)
  })

  test('an output that cannot be written, such as a full device or closed pipe, gives one error line and exit code 1', async () => {
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

  test('the requests command shows the name of an uploaded file, and the code of a failure', async () => {
    await mediamill(['process', 'in/a.png', '--resize', '61x61', '-o', 'named.jpg'])
    await writeFile(at('cut.png'), (await readFile(at('photo.png'))).subarray(0, 61))
    await mediamill(['process', 'cut.png', '--resize', '61x61', '-o', 'cut.jpg'])
    const { out } = await mediamill(['requests', '--limit', '2'])
    const [, failed = '', succeeded = ''] = out.split('\n')
    assert.match(succeeded, /succeeded +images\/process +\$0\.002 .* a\.png$/, out)
    assert.match(failed, /failed +images\/process +\$0\.00 .* cut\.png: [a-z_]+: \S/)
  })

  test('the templates command stores a file as a template version, and lists, prints, and deletes templates', async () => {
    const operations = [{ type: 'resize', width: { variable: 'width' }, height: 100 }]
    const template = { name: 'card', operations, variables: { width: { type: 'integer', default: 50 } } }
    await writeFile(at('card.json'), JSON.stringify(template))
    assert.match((await mediamill(['templates', 'create', 'card.json'])).out, /Template card@1 is stored/)
    const again = await mediamill(['templates', 'create', '-', '--json'], { input: JSON.stringify(template) })
    assert.equal(JSON.parse(again.out).id, 'card@1')
    assert.match((await mediamill(['templates', 'list'])).out, /card@1 +images\/process +width /)
    assert.deepEqual(JSON.parse((await mediamill(['templates', 'show', 'card@1'])).out).operations, operations)
    assert.match((await mediamill(['templates', 'delete', 'card'])).out, /Template card is deleted/)
    const gone = await mediamill(['templates', 'show', 'card'])
    assert.deepEqual([gone.code, gone.err], [1, `mediamill: ${noTemplate('card')}\n`])
    await writeFile(at('broken.json'), '{')
    for (const [file, message] of [
      ['missing.json', /missing\.json cannot be read \(it does not exist\)/],
      ['.', /\. cannot be read \(it is a folder\)/],
      ['broken.json', /broken\.json is not JSON \(Expected property name/],
    ] as const) {
      const { code, err } = await mediamill(['templates', 'create', file])
      assert.equal(code, 2, file)
      assert.match(err, message)
    }
  })

  test('--template runs a template with variables, and saves each of its result files', async () => {
    const size = { width: { variable: 'width' }, height: 400 }
    const outputs = [
      { name: 'large', format: { variable: 'format' }, operations: [{ type: 'resize', ...size }] },
      { name: 'small', operations: [{ type: 'resize', width: 20, height: 20 }] },
    ]
    const variables = { width: { type: 'integer', maximum: 60 }, format: { type: 'string', default: 'png' } }
    await writeFile(at('sizes.json'), JSON.stringify({ name: 'sizes', outputs, variables }))
    await writeFile(at('gray.json'), JSON.stringify({ name: 'gray', operations: [{ type: 'grayscale' }] }))
    const frame = { name: 'frame', endpoint: 'videos/screenshot', seconds: 1, output: { format: 'png' } }
    await writeFile(at('frame.json'), JSON.stringify(frame))
    for (const file of ['sizes.json', 'gray.json', 'frame.json']) await mediamill(['templates', 'create', file])
    const args = ['process', 'photo.png', '--template', 'sizes', '--variable', 'width=40', '-o', 'templated/']
    assert.match((await mediamill([...args, '--estimate'])).out, /photo\.png +\$0\.004\n/)
    const ran = await mediamill(args)
    assert.deepEqual([ran.code, ran.out], [0, 'templated/photo-large.png\ntemplated/photo-small.jpg\n'], ran.err)
    assert.equal((await sharp(at('templated/photo-large.png')).metadata()).width, 40)
    const kept = await mediamill([...args, '--json'])
    assert.equal(JSON.parse(kept.out).reused, true)
    const printed = JSON.parse((await mediamill([...args, '--print', 'json'])).out)
    assert.deepEqual([printed.template, printed.variables], ['sizes@1', { width: 40 }])
    const still = await mediamill(['screenshot', 'clip.mp4', '--template', 'frame', '-o', 'frame.png'])
    assert.deepEqual([still.code, still.out], [0, 'frame.png\n'], still.err)

    const before = await countRequests()
    for (const [more, message] of [
      [['photo.png', '--template', 'sizes'], /needs --variable width=…/],
      [['photo.png', '--template', 'sizes', '--variable', 'width=61'], /width must be a whole number/],
      [
        ['photo.png', '--template', 'sizes', '--variable', 'size=61'],
        /has no variable "size"\. Its variables: width, format/,
      ],
      [['photo.png', '--template', 'gray', '--resize', '8x8'], /--template cannot be combined with operations/],
      [['photo.png', '--template', 'gray', '-o', 'x.webp'], /makes a file in the format jpg, but -o ends with \.webp/],
      [['photo.png', '--template', 'sizes', '--variable', 'width=9', '-o', '-'], /2 files cannot be written to stdout/],
      [['clip.mp4', '--template', 'gray'], /clip\.mp4 is a video, but the template gray@1 only supports images/],
      [['photo.png', '--template', 'frame'], /is for videos\/screenshot: use mediamill screenshot/],
      [['photo.png', '--template', 'none'], new RegExp(noTemplate('none'))],
      [['photo.png', '--grayscale', '--variable', 'a=b'], /--variable needs --template/],
    ] as const) {
      const failed = await mediamill(['process', ...more])
      assert.notEqual(failed.code, 0, more.join(' '))
      assert.match(failed.err, message)
    }
    assert.match((await mediamill(['screenshot', 'clip.mp4'])).err, /Add --at SECONDS/)
    const snapshot = await mediamill(['snapshot', 'clip.mp4'])
    assert.match(snapshot.err, /clip\.mp4 is a video, but snapshot only supports PDFs/)
    assert.equal(await countRequests(), before)
  })

  test('Ctrl-C ends a batch with exit code 130 and leaves no partial file', async () => {
    const others = await startService({ workers: false })
    try {
      const waiting = { MEDIAMILL_URL: others.url, MEDIAMILL_API_KEY: others.account.liveKey }
      const queued = async () => (await others.sql`select 1 from requests where status = 'queued'`).length
      const ran = await mediamill(['process', 'in', '--grayscale', '-o', 'never/'], {
        env: waiting,
        onStart: (child) => void until(async () => (await queued()) === 2).then(() => child.kill('SIGINT')),
      })
      assert.deepEqual([ran.code, ran.out], [130, ''])
      await assert.rejects(access(at('never')))
    } finally {
      await others[Symbol.asyncDispose]()
    }
  })

  test('piped input is read only once even if a command names it twice, and empty input is rejected', async () => {
    const input = await readFile(at('photo.png'))
    const twice = await mediamill(['process', '-', '-', '--resize', '9x9', '-o', 'twice.png'], { input })
    assert.deepEqual([twice.code, twice.out], [0, 'twice.png\n'], twice.err)
    const none = await mediamill(['process', '-', '--resize', '9x9', '-o', 'none.png'], { input: '' })
    assert.equal(none.code, 1)
    assert.match(none.err, /mediamill: stdin is empty\./)
    await writeFile(at('empty\n.png'), '')
    const empty = await mediamill(['process', 'empty\n.png', 'photo.png', '--resize', '9x9', '-o', 'some/'])
    assert.match(empty.err, /^INPUT +REASON\nempty\\n\.png +empty\\n\.png is empty\.$/m)
    assert.match(empty.err, /1 of 2 inputs failed\./)
  })
})
