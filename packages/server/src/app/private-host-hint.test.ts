import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import { isOnLoopback, withPrivateHostHint } from './private-host-hint.ts'

const METADATA = [
  'http://169.254.169.254/latest',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://metadata.google.internal/',
]
const rejected = { ok: false, code: 'url_invalid', message: 'No.' } as const

test('error hints for the operator appear only on a service whose base URL is loopback', () => {
  for (const own of ['http://127.0.0.1:8080', 'http://127.9.9.9', 'http://localhost:8080', 'http://[::1]:8080/media']) {
    assert.equal(isOnLoopback(own), true, own)
  }
  for (const public_ of [
    'https://media.example.com',
    'http://0.0.0.0:8080',
    'http://10.0.0.7:8080',
    'http://[::]:80',
  ]) {
    assert.equal(isOnLoopback(public_), false, public_)
  }
})

test("the hint about ALLOWED_PRIVATE_HOSTS has the host and port in the setting's format, and appears only if the setting helps", () => {
  const message = (url: string) => {
    const verdict = withPrivateHostHint(rejected, url)
    return verdict.ok ? '' : verdict.message
  }
  assert.match(message('http://LOCALHOST.:8000/a'), naming('No.', 'ALLOWED_PRIVATE_HOSTS=localhost:8000 '))
  assert.match(message('https://nas.local/a'), /=nas\.local:443 to/)
  assert.match(message('http://[0::1]:81/'), /=\[::1\]:81 to/)
  for (const url of ['http://user@localhost:81/', 'http://-a:81/', 'javascript:1', '', '/home/me/a.jpg', ...METADATA])
    assert.equal(message(url), 'No.')
  const unresolvable = { ...rejected, code: 'url_unresolvable' } as const
  assert.equal(withPrivateHostHint(unresolvable, 'http://nas:81/'), unresolvable)
  const passed = { ok: true } as const
  assert.equal(withPrivateHostHint(passed, 'http://nas:81/'), passed)
})
