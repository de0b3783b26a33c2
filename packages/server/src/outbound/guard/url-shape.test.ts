import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_URL_LENGTH } from '@mediamill/contract/domain/limits'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from './allowed-hosts.ts'
import { checkUrlShape } from './url-shape.ts'

const verdictOf = (text: string, allowed = NO_ALLOWED_HOSTS) => {
  const verdict = checkUrlShape(text, allowed)
  return verdict.ok ? 'ok' : verdict.code
}

const WELL_SHAPED = [
  'http://example.com',
  'https://example.com/',
  'HTTPS://EXAMPLE.COM/a.JPG',
  'http://example.com:80/',
  'https://example.com:443/',
  'http://example.com./a',
  'http://sub_domain.example.com/',
  'http://a-b.example.com/a%20b?c=d&e=%2F#f',
  'https://xn--bcher-kva.example/',
  'https://bücher.example/ü.png',
  'http://93.184.216.34/',
  'https://[2606:2800:220:1:248:1893:25c8:1946]/a',
  `http://${'a'.repeat(63)}.example/`,
  `http://example.com/${'a'.repeat(MAX_URL_LENGTH - 19)}`,
  // The length limit counts code points, not UTF-16 code units.
  `http://example.com/${'😀'.repeat(MAX_URL_LENGTH - 19)}`,
]

const MALFORMED = [
  '',
  'example.com',
  '//example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  'gopher://example.com/',
  'blob:http://example.com/',
  's3://bucket/key',
  'http:example.com',
  'http:/example.com',
  'http:///example.com',
  'http:////example.com',
  'http:\\\\example.com\\',
  'http://example.com\\@evil.example/',
  'http://',
  'http:///',
  'http://?a',
  'http://#a',
  ' http://example.com/',
  'http://example.com/ ',
  'http://example.com/a b',
  'http://exa\tmple.com/',
  'http://example.com/\n',
  'http://example.com\r\nHost: evil/',
  'http://example.com/\u0000',
  'http://example.com/\u007f',
  'http://example.com/\ud800',
  'http://user@example.com/',
  'http://user:secret@example.com/',
  'http://:@example.com/',
  'http://@example.com/',
  'http://example.com@127.0.0.1/',
  'http://example.com:8080/',
  'https://example.com:80/',
  'http://example.com:443/',
  'http://example.com:0/',
  'http://example.com:65536/',
  'http://example.com:80a/',
  'http://127.0.0.1:8080/',
  'http://localhost:3000/',
  'http://a..b/',
  'http://.example.com/',
  'http://example.com../',
  'http://-a.example/',
  'http://a-.example/',
  'http://a!b.example/',
  'http://a*b.example/',
  'http://a,b.example/',
  "http://a'b.example/",
  'http://a%00b.example/',
  'http://a b.example/',
  `http://${'a'.repeat(64)}.example/`,
  `http://${'a.'.repeat(126)}example/`,
  'http://256.1.1.1/',
  'http://1.2.3.4.5/',
  'http://[::1/',
  'http://[::1%25eth0]/',
  'http://[fe80::1%eth0]/',
  'http://[1:2:3]/',
  'http://[::g]/',
  `http://example.com/${'a'.repeat(MAX_URL_LENGTH - 18)}`,
]

const INTERNAL = [
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://ⓛocalhost/',
  'http://a.localhost/',
  'http://redis/',
  'http://metadata/',
  'http://printer.local/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://instance-data.ec2.internal/',
  'http://router.home.arpa/',
  'http://a.b.local./',
]

test('the URL check accepts a public http or https URL on its default port [sources.urls.1]', () => {
  for (const text of WELL_SHAPED) assert.equal(verdictOf(text), 'ok', text)
})

test('the URL check rejects a URL as url_invalid if its scheme, port, host, or length is not allowed, if it has a user name, or if a parser would repair it [sources.urls.2]', () => {
  for (const text of MALFORMED) assert.equal(verdictOf(text), 'url_invalid', JSON.stringify(text))
})

test('the URL check rejects internal host names as url_blocked without a DNS lookup [sources.urls.3]', () => {
  for (const text of INTERNAL) assert.equal(verdictOf(text), 'url_blocked', text)
})

test('for an allowed private host, the URL check skips only the rules for ports and host names, and only on the allowed port [operator.settings.4]', () => {
  const allowed = parseAllowedHosts('localhost:3000, files.internal:80,[::1]:9000')
  assert.equal(verdictOf('http://localhost:3000/a', allowed), 'ok')
  assert.equal(verdictOf('https://localhost:3000/a', allowed), 'ok')
  assert.equal(verdictOf('http://files.internal/a', allowed), 'ok')
  assert.equal(verdictOf('http://[0:0::1]:9000/a', allowed), 'ok')
  assert.equal(verdictOf('http://localhost:3001/a', allowed), 'url_invalid')
  assert.equal(verdictOf('http://localhost/a', allowed), 'url_blocked')
  assert.equal(verdictOf('http://a.localhost:3000/a', allowed), 'url_invalid')
  assert.equal(verdictOf('http://user@localhost:3000/a', allowed), 'url_invalid')
  assert.equal(verdictOf('https://files.internal/a', allowed), 'url_blocked')
})

test('the URL check normalizes a URL: it lowercases the host, and removes the default port and the fragment', () => {
  const verdict = checkUrlShape('https://EXAMPLE.com./a/../b?c=d#e', NO_ALLOWED_HOSTS)
  assert.deepEqual(verdict, {
    ok: true,
    url: {
      href: 'https://example.com./b?c=d',
      secure: true,
      authority: 'example.com.',
      hostname: 'example.com',
      port: 443,
      path: '/b?c=d',
      exempt: false,
    },
  })
})
