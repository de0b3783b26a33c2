import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import { breakOff, sendText } from '../kit/raw-call.ts'

const CODES =
  'missing_api_key invalid_api_key insufficient_credits paid_account_required account_suspended key_restricted invalid_signature request_not_found not_found request_finished request_not_finished idempotency_key_reused idempotency_key_in_use upload_in_use upload_offset_mismatch result_expired upload_expired tus_version_unsupported content_type_unsupported range_not_satisfiable validation_failed url_invalid url_blocked url_unresolvable upload_not_found upload_incomplete upload_too_large template_not_found rate_limited concurrency_limited test_mode_daily_limit upload_checksum_mismatch server_error source_unreachable source_too_large unsupported_media encrypted_document processing_failed'.split(
    ' ',
  )

/** Checks the response to a malformed call. A proxy may reject the call itself, with its own status and body. */
function checkRejected(response: string, what: string): void {
  const isOfProxy = !response.startsWith('HTTP/1.1 422 ')
  const isRejected = isOfProxy ? /^HTTP\/1\.1 4\d\d /.test(response) : response.includes('"validation_failed"')
  ok(isRejected, what, response)
}

export const ERRORS = checksOf([
  {
    title:
      'the error for an unknown path suggests a similar path, and the error for a wrong method lists the allowed methods',
    rules: ['api.paths.1'],
    run: async (kit) => {
      const near = await kit.rejects(kit.call('POST', '/v1/image/process'), 404, 'not_found')
      ok(near.message.includes('/v1/images/process'), 'the message has a similar path', near)
      const { status, headers, body } = await kit.call('DELETE', '/v1/account')
      equal([status, body.error.code], [404, 'not_found'], 'another method')
      ok((headers.get('allow') ?? '').includes('GET'), 'Allow', headers.get('allow'))
      await kit.rejects(kit.call('GET', '/v1/nothing', { key: null }), 404, 'not_found')
    },
  },
  {
    title: 'the doc_url of an error leads to a page that explains every error code',
    rules: ['errors.body.3'],
    run: async (kit) => {
      const { error } = (await kit.call('GET', '/v1/account', { key: null })).body
      const page = (await kit.call('GET', error.doc_url, { key: null })).bytes.toString()
      for (const code of CODES) ok(page.includes(`id="${code}"`), `the page explains ${code}`)
    },
  },
  {
    title: 'after a call whose body is interrupted, the service responds to further calls',
    rules: ['api.http.1'],
    run: async (kit) => {
      await breakOff(kit.caller.baseUrl, kit.caller.key)
      equal((await kit.call('GET', '/v1/account')).status, 200, 'the next call')
      equal((await kit.call('GET', '/livez', { key: null })).status, 200, '/livez')
    },
  },
  {
    title: 'a call that is not HTTP is rejected',
    rules: ['api.http.1'],
    run: async (kit) => checkRejected(await sendText(kit.caller.baseUrl, 'no HTTP\r\n\r\n'), 'the response to text'),
  },
  {
    title: 'a call that does not arrive completely within 30 s is rejected',
    needs: ['time'],
    rules: ['api.http.1'],
    run: async (kit) => {
      const { host } = new URL(kit.caller.baseUrl)
      const startedAt = Date.now()
      const response = await sendText(kit.caller.baseUrl, `GET /v1/account HTTP/1.1\r\nHost: ${host}\r\n`)
      checkRejected(response, 'the response to incomplete headers')
      ok(Date.now() - startedAt < 40_000, 'the service responds within 30 s', Date.now() - startedAt)
    },
  },
])
