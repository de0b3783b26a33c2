import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { startConformingService } from '@mediamill/lab/support/conforming-service'
import { startHttpServer } from '@mediamill/lab/support/http-server'
import { run } from '@mediamill/lab/support/process'
import type { Json } from '@mediamill/lab/support/service'
import { shared } from '@mediamill/lab/support/shared'

const service = shared(await startConformingService())
const { baseUrl, key, keys } = service.given

async function conformance(...args: string[]): Promise<{ code: unknown; report: Json; err: string }> {
  const command = run(['conformance', '--key', key, '--json', ...args], { LOG_LEVEL: 'fatal' })
  const code = await command.ended
  return { code, report: command.out() === '' ? undefined : JSON.parse(command.out()), err: command.err() }
}

test('the conformance kit passes a correct service, and gives a reason for each check that it skips for a missing option', async () => {
  const { code, report, err } = await conformance(
    '--base-url',
    baseUrl,
    '--only',
    '^(api[.]lists|auth[.]keys|billing[.]money|requests[.]object|images|documents|account|usage|catalog|templates|uploads|videos[.]access)',
    '--short',
  )
  assert.equal(code, 0, err)
  assert.deepEqual([report.object, report.conforms, report.broken], ['conformance', true, 0])
  assert.ok(report.kept > 15, String(report.kept))
  const skipped = report.checks.filter(({ outcome }: Json) => outcome === 'skipped')
  assert.ok(
    skipped.some(({ reason }: Json) => reason.includes('--free-key')) &&
      skipped.some(({ reason }: Json) => reason.includes('--short')),
  )
  const numbers: string[] = report.checks.map(({ number }: Json) => number)
  assert.ok(numbers.includes('requests.object-1') && new Set(numbers).size === numbers.length, numbers.join())
})

test('if a proxy removes a header, the conformance kit reports the broken rule and exits with 1', async () => {
  await using proxy = await startHttpServer((call, response) => {
    const through = request(baseUrl + call.url, { method: call.method, headers: call.headers }, (got) => {
      const { 'request-id': _lost, ...headers } = got.headers
      response.writeHead(got.statusCode ?? 500, call.url === '/v1/usage' ? headers : got.headers)
      got.pipe(response)
    })
    call.pipe(through)
  })
  const { code, report, err } = await conformance(
    '--base-url',
    proxy.url,
    '--only',
    '^auth[.]keys-1',
    '--revoked-key',
    keys.revoked ?? '',
  )
  assert.equal(code, 1)
  assert.equal(report.conforms, false)
  assert.match(report.checks[0].reason, /Request-Id of GET \/v1\/usage/)
  assert.match(err, /fails the checks auth\.keys-1/)
})

test('without a service or a valid key, the conformance kit prints one line and no report', async () => {
  const wrong = run(['conformance', '--base-url', baseUrl, '--key', 'svc_live_none'], {})
  assert.equal(await wrong.ended, 1)
  assert.match(wrong.err(), /^mediamill: .* returned 401/m)
  const nowhere = run(['conformance', '--base-url', 'http://127.0.0.1:9', '--key', key], {})
  assert.equal(await nowhere.ended, 1)
  assert.match(nowhere.err(), /^mediamill: .*does not respond/m)
})
