import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { shared } from '@mediamill/lab/support/shared'

const KEY = 'svc_live_0123456789'
const MAIN = join(import.meta.dirname, '../../../server/src/main.ts')

let used: string | undefined
const { url: baseUrl } = shared(
  await startHttpServer((call, response) => {
    used = call.headers.authorization
    response.writeHead(401).end()
  }),
)

async function conformance(flags: string[], env: Record<string, string>, input = ''): Promise<string> {
  const args = [MAIN, 'conformance', '--base-url', baseUrl, ...flags]
  const child = spawn(process.execPath, args, {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  child.stdin.end(input)
  used = undefined
  return await text(child.stderr)
}

test('the conformance command accepts a key from the environment or stdin without a warning', async () => {
  assert.match(await conformance([], { MEDIAMILL_API_KEY: KEY }), /^mediamill: http/)
  assert.equal(used, `Bearer ${KEY}`)
  assert.match(await conformance(['--key', '-'], {}, `${KEY}\n`), /^mediamill: http/)
  assert.equal(used, `Bearer ${KEY}`)
})

test('the conformance command accepts a key as an argument, and prints a warning', async () => {
  assert.match(await conformance(['--key', KEY], {}), /^Other users of this machine can see/)
  assert.equal(used, `Bearer ${KEY}`)
})
