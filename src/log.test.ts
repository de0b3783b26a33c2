import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prettyFactory } from 'pino-pretty'
import { createLog, ON_TERMINAL } from './log.ts'

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  write(createLog('trace', 'test', { write: (line) => void (text += line) }))
  assert.doesNotThrow(() => JSON.parse(text), text)
  return text
}

test('an error is logged with its causes, and without what a library attached to it', () => {
  const refused = Object.assign(new Error('it violates "one_name"'), {
    code: '23514',
    constraint_name: 'one_name',
    detail: 'Failing row contains (secret)',
    parameters: ['secret'],
  })
  const text = logged((log) => log.error({ err: new Error('the call failed', { cause: refused }) }, 'no'))
  assert.match(text, /the call failed: it violates/)
  assert.match(
    logged((log) => log.error({ err: refused })),
    /"code":"23514".*"constraint_name":"one_name"/,
  )
  assert.doesNotMatch(
    logged((log) => log.error({ err: refused })),
    /secret/,
  )
})

test('the stack of an error is lines on a terminal, also where an engine told of it in a text', () => {
  const stack = 'Error: VipsJpeg: Premature end\n    at Sharp.toBuffer (/srv/sharp.js:1:2)\n    at async draw'
  for (const err of [stack, Object.assign(new Error('VipsJpeg: Premature end'), { stack })]) {
    const line = logged((log) => log.info({ code: 'processing_failed', err }, 'a request failed'))
    assert.equal((JSON.parse(line) as { err: { stack: string } }).err.stack, stack)
    const shown = prettyFactory({ ...ON_TERMINAL, colorize: false })(line)
    assert.match(shown, /a request failed .*\n/)
    assert.match(shown, /\n +at Sharp\.toBuffer \(\/srv\/sharp\.js:1:2\)\n +at async draw\n/)
    assert.doesNotMatch(shown, /\\n/)
  }
  assert.deepEqual(JSON.parse(logged((log) => log.info({ err: 'no stack' }))).err, { message: 'no stack' })
})

test('keys, bearer tokens, passwords and queries of URLs are struck out wherever they stand in a line', () => {
  const held = [
    'svc_live_abcDEF0123',
    'svc_test_abcDEF0123',
    'whsec_ab+/=',
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

test('a line that holds none of these is logged as it is', () => {
  const said = 'api is ready at http://127.0.0.1:8080, "quoted" (what?) a/b?c@d'
  assert.equal(JSON.parse(logged((log) => log.info(said))).msg, said)
})

test('what is a secret by its name is not logged, though it looks like nothing', () => {
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
