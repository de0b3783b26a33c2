import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { unwrap } from '@mediamill/sdk/src/webhooks'
import sharp from 'sharp'
import { at, env, folder, mediamill } from './command-line-fixture.ts'

describe('the client’s command line: printed code and listening', { concurrency: 1 }, () => {
  test('--print shows an equivalent call as curl and TypeScript code, which both run', async () => {
    const args = ['process', 'photo.png', '--resize', '33x22', '--watermark', 'logo.png,x=0,y=0']
    const shell = (await mediamill([...args, '--print', 'curl'])).out
    await promisify(execFile)('sh', ['-c', shell], { cwd: folder, env: { ...env, PATH: '/usr/bin:/bin' } })
    assert.equal((await sharp(at('photo-result.jpg')).metadata()).width, 33)
    await rm(at('photo-result.jpg'))
    assert.ok(!shell.includes(folder), 'paths are as they were typed')
    const command = (await mediamill(['read', 'photo.png', '--print', 'curl'])).out
    const read = await promisify(execFile)('sh', ['-c', command], {
      cwd: folder,
      env: { ...env, PATH: '/usr/bin:/bin' },
    })
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

  test('--print with several outputs shows curl and TypeScript code, which both run and save each file', async () => {
    const outputs = [
      '--output',
      'name=a,format=png,resize=33x22',
      '--output',
      String.raw`name=b,watermark=logo.png\,0\,0`,
    ]
    const args = ['process', 'photo.png', ...outputs, '-o', 'several/']
    await mkdir(at('several'))
    const widths = async () => {
      const files = ['photo-a.png', 'photo-b.jpg'].map((name) => at(join('several', name)))
      const found = await Promise.all(files.map(async (path) => (await sharp(path).metadata()).width))
      for (const path of files) await rm(path)
      return found
    }
    const shell = (await mediamill([...args, '--print', 'curl'])).out
    await promisify(execFile)('sh', ['-c', shell], { cwd: folder, env: { ...env, PATH: '/usr/bin:/bin' } })
    assert.deepEqual(await widths(), [33, 120])
    const script = (await mediamill([...args, '--print', 'ts'])).out
    const library = join(import.meta.dirname, '../../../sdk/src/index.ts')
    await writeFile(at('several.ts'), script.replace('@mediamill/sdk', library))
    await promisify(execFile)(process.execPath, [at('several.ts')], { cwd: folder, env })
    assert.deepEqual(await widths(), [33, 120])
    const python = (await mediamill([...args, '--print', 'python'])).out
    assert.match(python, /\["files"\]\[1\]\["url"\][^]*open\("several\/photo-b\.jpg", "wb"\)/)
  })

  test('the listen command forwards every event once and signed, and resumes after the last event when it is restarted', async () => {
    const got: { id: string; type: string }[] = []
    const printed = await mediamill(['listen', '--print-secret'])
    const secret = printed.out.trim()
    await using receiver = await startHttpServer((call, reply) => {
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
    })
    const to = `${receiver.host}/hook`
    const follow = async (args: string[], events: number, begin = async (): Promise<unknown> => undefined) =>
      await mediamill(['listen', '--forward-to', to, '--format', 'json', ...args], {
        onStart: (child) => {
          let [out, err] = ['', '']
          child.stderr?.on('data', (chunk: Buffer) => {
            const hasStarted = err.includes('Forwarding')
            err += String(chunk)
            if (!hasStarted && err.includes('Forwarding')) void begin()
          })
          child.stdout?.on('data', (chunk: Buffer) => {
            out += String(chunk)
            if (out.split('\n').length > events) child.kill('SIGINT')
          })
        },
      })
    const make = async (n: number) =>
      await mediamill(['process', 'photo.png', '--resize', `${n}x10`, '-o', `listen-${n}.png`])
    const first = await follow([], 1, () => make(41))
    assert.equal(first.code, 0, first.err)
    await make(42)
    await make(43)
    const second = await follow(['--resume'], 2)
    const shown = [...first.out.trim().split('\n'), ...second.out.trim().split('\n')].map((line) => JSON.parse(line))
    assert.deepEqual(
      shown.map(({ id, forwarded }) => [id, forwarded.status]),
      got.map(({ id }) => [id, 200]),
    )
    assert.equal(new Set(got.map(({ id }) => id)).size, 3)
  })
})
