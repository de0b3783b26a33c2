import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { terminalLines } from './terminal-log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  write(createLog('trace', 'test', { write: (line) => void (text += line) }))
  assert.doesNotThrow(() => JSON.parse(text), text)
  return text
}

test('the logger logs an error with its causes, but without the fields that a library added to the error', () => {
  const rejected = Object.assign(new Error('it violates "one_name"'), {
    code: '23514',
    constraint: 'one_name',
    detail: 'Failing row contains (secret)',
    parameters: ['secret'],
  })
  const text = logged((log) => log.error({ err: new Error('the call failed', { cause: rejected }) }, 'no'))
  assert.match(text, /the call failed: it violates/)
  assert.match(
    logged((log) => log.error({ err: rejected })),
    /"code":"23514".*"constraint":"one_name"/,
  )
  assert.doesNotMatch(
    logged((log) => log.error({ err: rejected })),
    /secret/,
  )
})

const onTerminal = terminalLines({ colorize: false })

test('a log line on a terminal ends with the fields that its message does not contain, in parentheses; a JSON log line has all fields [operator.settings.7]', () => {
  const shown = (fields: object, message: string) => {
    const line = logged((log) => log.info(fields, message))
    for (const name of ['role', 'pid', ...Object.keys(fields)]) assert.ok(name in JSON.parse(line), name)
    return onTerminal(line).replace(/^\[.*?\] INFO: /, '')
  }
  assert.equal(shown({ request_id: 1, status: 202 }, 'request 1 accepted'), 'request 1 accepted (status: 202)\n')
  assert.equal(shown({ status: 20 }, 'GET / 202 in 3 ms'), 'GET / 202 in 3 ms (status: 20)\n')
  assert.equal(shown({ ms: 3, status: 202 }, 'GET / 202 in 3 ms'), 'GET / 202 in 3 ms\n')
  assert.equal(shown({ address: 'http://127.0.0.1:8080' }, 'api is ready'), 'api is ready\n')
  const reach = { files: false, jobs: true, network: true }
  assert.equal(
    shown({ isolation: 'process', reach, refused: [] }, 'engines'),
    'engines (isolation: process, reach: jobs, network)\n',
  )
  assert.equal(shown({ stderr: 'a\u001b[2J\nb' }, 'engine lost'), 'engine lost (stderr: a\\u001b[2J\\nb)\n')
  const rejected = ['bubblewrap: it is missing', 'namespaces: a test program reached network']
  assert.equal(
    shown({ refused: rejected, by: { id: 7 } }, 'engines'),
    `engines (refused: ${rejected.join('; ')}, by: id 7)\n`,
  )
})

test("log output on a terminal shows the stack of an error on separate lines, even for an engine's error text", () => {
  const stack = 'Error: VipsJpeg: Premature end\n    at Sharp.toBuffer (/srv/sharp.js:1:2)\n    at async draw'
  for (const err of [stack, Object.assign(new Error('VipsJpeg: Premature end'), { stack })]) {
    const line = logged((log) => log.info({ code: 'processing_failed', err }, 'a request failed'))
    assert.equal((JSON.parse(line) as { err: { stack: string } }).err.stack, stack)
    const shown = onTerminal(line)
    assert.match(shown, /a request failed \(code: processing_failed\) *\n/)
    assert.match(shown, /\n +at Sharp\.toBuffer \(\/srv\/sharp\.js:1:2\)\n +at async draw\n/)
    assert.doesNotMatch(shown, /\\n/)
  }
  assert.deepEqual(JSON.parse(logged((log) => log.info({ err: 'no stack' }))).err, { message: 'no stack' })
})

test('log output on a terminal escapes text from clients and engines, so that it cannot control the terminal; JSON keeps the text', () => {
  const hostile = 'a\u001b[2J\u009b31m\u202e\u2028\rb'
  const err = `Error: ${hostile}\n    at draw`
  const line = logged((log) => log.error({ err, stderr: hostile }, `failed ${hostile}`))
  assert.doesNotMatch(line, /[\u007f-\u009f\u2028-\u202e]/)
  const { stderr, msg } = JSON.parse(line) as { stderr: string; msg: string }
  assert.deepEqual([stderr, msg], [hostile, `failed ${hostile}`])
  assert.doesNotMatch(onTerminal(line), /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028]/u)
})

test('the logger removes keys, bearer tokens, passwords, and URL queries anywhere in a line', () => {
  const held = [
    'svc_live_abcDEF0123',
    'svc_test_abcDEF0123',
    'whsec_ab+/=',
    'http://127.0.0.1:8080/console/#token=abc_def-123',
    'Bearer abc.def',
    'postgres://me:abc@db/x',
    'https://a.example/b?abc=d&e',
  ]
  for (const secret of held) {
    for (const line of [
      logged((log) => log.info(secret)),
      logged((log) => log.info({ deep: { er: [`"${secret}"`] } }, 'x')),
      logged((log) => log.error({ err: new Error(`no ${secret} here`) })),
    ]) {
      assert.doesNotMatch(line, /abc|ab\+/, secret)
    }
  }
  assert.match(
    logged((log) => log.info('https://a.example/b?abc=d and more')),
    /https:\/\/a\.example\/b\?… and more/,
  )
})

test('the logger removes secrets from a line in linear time for any input', () => {
  for (const text of ['a.', '://', 'a://', 'a://b', '?', '@', 'svc_live_', 'Bearer ', '#token=', 'whsec_']) {
    const long = text.repeat(200_000 / text.length)
    const before = process.cpuUsage()
    logged((log) => log.info(long))
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 500_000, `${text}: ${(user + system) / 1_000} ms`)
  }
})

test('the logger does not change a line without secrets', () => {
  const output = 'api is ready at http://127.0.0.1:8080, "quoted" (what?) a/b?c@d'
  assert.equal(JSON.parse(logged((log) => log.info(output))).msg, output)
})

test('the logger removes secret values from fields with secret names', () => {
  for (const held of [
    { req: { headers: { authorization: 'abc' } } },
    { headers: { authorization: 'abc' } },
    { config: { secretKey: 'abc' } },
    { config: { databaseUrl: 'abc' } },
  ]) {
    const line = logged((log) => log.info(held, 'x'))
    assert.doesNotMatch(line, /abc/, JSON.stringify(held))
  }
})

test('a process continues and can exit if its log is on a full disk', {
  skip: process.platform !== 'linux',
}, async () => {
  const full = await open('/dev/full', 'w')
  const code = `
    import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)}
    import { setImmediate } from 'node:timers/promises'
    const log = createLog('info', 'test')
    for (let line = 0; line < 3; line += 1) {
      log.info('worker lost')
      for (let turn = 0; turn < 100; turn += 1) await setImmediate()
    }
    process.exitCode = 7`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', full.fd, 'inherit'] })
  const end = setTimeout(() => child.kill('SIGKILL'), 60_000)
  assert.deepEqual(await once(child, 'exit'), [7, null])
  clearTimeout(end)
  await full.close()
})

test('a process continues if nothing reads the pipe of its log', async () => {
  const code = `
    import { createLog } from ${JSON.stringify(new URL('log.ts', import.meta.url).href)}
    import { setImmediate } from 'node:timers/promises'
    const log = createLog('info', 'test')
    // A pipe holds 64 KB.
    for (let line = 0; line < 1_000; line += 1) log.info({ text: 'x'.repeat(1_000) }, 'worker lost')
    await setImmediate()
    process.kill(process.pid)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const end = setTimeout(() => child.kill('SIGKILL'), 60_000)
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM'])
  clearTimeout(end)
})
