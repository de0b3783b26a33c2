import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'

const KEY = 'svc_live_0123456789'
const MAIN = join(import.meta.dirname, '../../../server/src/main.ts')

let used: string | undefined
const server = createServer((call, response) => {
  used = call.headers.authorization
  response.writeHead(401).end()
}).listen(0, '127.0.0.1')
await once(server, 'listening')
after(() => server.close())
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

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
