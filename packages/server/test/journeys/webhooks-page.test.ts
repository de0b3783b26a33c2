import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { freePort } from '@mediamill/lab/support/process'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { Webhook } from 'standardwebhooks'
import { signatureHeaders } from '../../src/webhooks/sign.ts'

const page = await readFile(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8')
const folder = await sharedFolder('mediamill-webhooks-page-')

function codeOf(heading: string): string {
  const section = page.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? ''
  return /```\w+\n([\s\S]*?)```/.exec(section)?.[1] ?? assert.fail(`the page has no code under ${heading}`)
}

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OTHER = 'whsec_dGhlIG90aGVyIHNlY3JldCBvZiB0aGUgdGVzdA=='
const body = Buffer.from('{"id":"evt_1","data":{"customer":"Zoë","metadata":{"quote":"\\"\\\\ $x `y`"}}}')

type Delivery = { name: string; header: string; body: Buffer; expected: boolean }

/** Returns valid and invalid deliveries. A receiver may check them up to `slack` seconds after `now`. */
function deliveriesAt(now: number, slack: number): Delivery[] {
  const signed = (secrets: string[], ageSeconds = 0) =>
    signatureHeaders('evt_1', body, secrets, new Date((now - ageSeconds) * 1000))['Service-Signature'] ?? ''
  const header = signed([SECRET])
  return [
    { name: 'as it was sent', header, body, expected: true },
    { name: 'signed with the new secret and this one', header: signed([OTHER, SECRET]), body, expected: true },
    { name: 'signed with this secret and the old one', header: signed([SECRET, OTHER]), body, expected: true },
    { name: 'five minutes old', header: signed([SECRET], 300 - slack), body, expected: true },
    { name: 'more than five minutes old', header: signed([SECRET], 301), body, expected: false },
    { name: 'five minutes early', header: signed([SECRET], -300), body, expected: true },
    { name: 'more than five minutes early', header: signed([SECRET], -301 - slack), body, expected: false },
    { name: 'with another body', header, body: Buffer.concat([body, Buffer.from(' ')]), expected: false },
    { name: 'signed with another secret', header: signed([OTHER]), body, expected: false },
    { name: 'with another time', header: header.replace(/^t=\d+/, `t=${now - 7}`), body, expected: false },
    { name: 'with half a digest', header: header.slice(0, -32), body, expected: false },
    { name: 'without a digest', header: header.replace(/,v1=.*/, ''), body, expected: false },
    { name: 'with an empty digest', header: header.replace(/v1=.*/, 'v1='), body, expected: false },
    { name: 'without a time', header: header.replace(/^t=\d+,/, ''), body, expected: false },
    { name: 'with an empty header', header: '', body, expected: false },
  ]
}

const NOW = 1_795_276_800

test('the Node.js code of the webhooks page accepts deliveries of the service and no others [webhooks.signature.1]', async () => {
  const file = join(folder, 'verify.mjs')
  await writeFile(file, codeOf('Node.js'))
  const { isOurs } = await import(pathToFileURL(file).href)
  for (const { name, header, body, expected } of deliveriesAt(NOW, 0)) {
    assert.equal(isOurs(body, header, SECRET, NOW), expected, name)
  }
})

test('the receiver of the webhooks page accepts deliveries of the service and no others [webhooks.signature.1]', async () => {
  await writeFile(join(folder, 'verify.mjs'), codeOf('Node.js'))
  const port = await freePort()
  const file = join(folder, 'receiver.mjs')
  await writeFile(file, codeOf('A complete receiver').replace('listen(3000', `listen(${port}`))
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRET: SECRET }
  const receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(receiver.stdout, 'data')
    for (const [secret, status] of [
      [SECRET, 204],
      [OTHER, 400],
    ] as const) {
      const headers = signatureHeaders('evt_1', body, [secret], new Date())
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
      assert.equal(response.status, status)
    }
  } finally {
    receiver.kill()
  }
})

test('the shell code of the webhooks page accepts deliveries of the service and no others [webhooks.signature.1]', async () => {
  const code = codeOf('Shell, with openssl')
  const file = join(folder, 'body.json')
  // The shell code reads the machine's clock, so sign with the current time.
  for (const { name, header, body, expected } of deliveriesAt(Math.floor(Date.now() / 1000), 200)) {
    await writeFile(file, body)
    const { status, stderr } = spawnSync('sh', ['-c', `${code}\nis_ours "$1" "$2"`, 'sh', header, file], {
      env: { PATH: process.env['PATH'], WEBHOOK_SECRET: SECRET },
      encoding: 'utf8',
    })
    assert.deepEqual([status === 0, stderr], [expected, ''], name)
  }
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test('the Python code of the webhooks page accepts deliveries of the service and no others [webhooks.signature.1]', {
  skip: !hasPython && 'no python3',
}, () => {
  const deliveries = deliveriesAt(NOW, 0)
  const cases = deliveries.map(({ header, body }) => [header, body.toString('base64')])
  const program = `${codeOf('Python')}
import base64, json, sys
print(json.dumps([is_ours(base64.b64decode(body), header, sys.argv[1], ${NOW}) for header, body in json.load(sys.stdin)]))`
  const { stdout, stderr } = spawnSync('python3', ['-c', program, SECRET], {
    input: JSON.stringify(cases),
    encoding: 'utf8',
  })
  assert.equal(stderr, '')
  assert.deepEqual(
    JSON.parse(stdout),
    deliveries.map(({ expected }) => expected),
  )
})

test('an independent Standard Webhooks verifier accepts deliveries of the service and rejects all others [webhooks.signature.2]', () => {
  const headers = signatureHeaders('evt_1', body, [OTHER, SECRET], new Date())
  assert.deepEqual(new Webhook(SECRET).verify(body.toString(), headers), JSON.parse(body.toString()))
  assert.deepEqual(new Webhook(OTHER).verify(body.toString(), headers), JSON.parse(body.toString()))
  assert.throws(() => new Webhook(SECRET).verify(`${body.toString()} `, headers), /No matching signature/)
  const old = signatureHeaders('evt_1', body, [SECRET], new Date(Date.now() - 310_000))
  assert.throws(() => new Webhook(SECRET).verify(body.toString(), old), /too old/)
  const known = signatureHeaders('evt_2', body, [SECRET], new Date())
  assert.throws(() => new Webhook(SECRET).verify(body.toString(), { ...known, 'webhook-id': 'evt_1' }))
})

test('the example delivery on the webhooks page has a correct signature for the secret on the page', () => {
  const shown = /```http\n([\s\S]*?)\n\n([\s\S]*?)\n```/.exec(page)
  const raw = Buffer.from(shown?.[2] ?? '')
  const given = Object.fromEntries(
    [...(shown?.[1] ?? '').matchAll(/^([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  const at = new Date(Number(given['webhook-timestamp']) * 1000)
  const { id, type, created } = JSON.parse(raw.toString())
  const expected = signatureHeaders(id, raw, [SECRET], at)
  assert.deepEqual(given, { ...given, ...expected, 'Service-Event-Id': id, 'Service-Event-Type': type })
  assert.ok(Math.abs(created * 1000 - at.getTime()) <= 1000)
  assert.ok(page.includes(SECRET))
})
