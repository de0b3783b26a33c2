import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import { mistakes } from '@mediamill/lab/support/mistakes'
import { openAccount } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { updateAccount } from '../../src/db/accounts/accounts.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const sources = await sharedSourceServer({
  '/photo.png': await quarters(40, 30),
  '/report.pdf': await readFile(sampleFile('report.pdf')),
  '/clip.mp4': await readFile(sampleFile('clip.mp4')),
  '/page.jpg': Buffer.from('<!doctype html><title>Sign in</title>'),
  '/letter.docx': Buffer.from('PK\x03\x04\x14\0[Content_Types].xml, word/document.xml', 'latin1'),
  '/empty': (_call, response) => response.writeHead(200, { 'content-length': 0 }).end(),
})
const service = await sharedService({ allowed: [sources.host], settings: { BASE_URL: 'https://media.example.com' } })
const { call, sql, account } = service

const [free, poor, suspended] = [await openAccount(sql), await openAccount(sql), await openAccount(sql)]
await sql`update accounts set held = balance where id = ${poor.id}`
await updateAccount(sql, suspended.id, { suspended: true })
const KEYS = {
  paid: account.liveKey,
  free: free.liveKey,
  poor: poor.liveKey,
  suspended: suspended.liveKey,
  nobody: null,
  stranger: 'svc_live_none',
}

/** Returns the names and numbers in a message. Tests compare only these, so that the wording may change. */
function essentials(message: string): string[] {
  const names = message.match(/"[^"]*"|-?\d[\d.,]*\d|\d|\S*[[\]_/{}<>@]\S*|[a-z]+\.[a-z]+|--?[a-z-]+ /gi) ?? []
  const meant = /did you mean ([^?]+)\?/i.exec(message)?.[1]
  return [...names, ...(meant === undefined ? [] : [meant])].map((part) => part.replace(/[.,;:?)]+$/, '').trim())
}

const commandsIn = (message: string) => message.match(/\bmediamill [a-z]+/g)

for (const { what, method = 'POST', path, body, headers = {}, caller = 'paid', message } of mistakes(sources.url)) {
  test(`the error message for ${what} contains the fix [errors.messages.1]`, async () => {
    const sent = method === 'GET' ? {} : { body: body ?? {} }
    const { status, body: response } = await call(method, path, { key: KEYS[caller], headers, ...sent })
    const { error } = status === 202 ? await service.settled(response.id) : response
    for (const part of essentials(message)) assert.ok(error?.message.includes(part), `${part}: ${error?.message}`)
    assert.deepEqual(commandsIn(error.message), commandsIn(message))
    assert.equal(error.doc_url, `https://media.example.com/docs/errors#${error.code}`)
  })
}

test('the error for a wrong method lists the allowed methods in its message and in the Allow header [api.paths.1]', async () => {
  for (const [method, path, allow] of [
    ['GET', '/v1/images/process', 'POST'],
    ['DELETE', '/v1/account', 'GET, HEAD'],
    ['OPTIONS', '/v1/requests/1/abort', 'POST'],
    ['GET', '/v1/nothing', null],
    ['GET', '/v1/requests/%zz', null],
  ] as const) {
    const { status, headers } = await call(method, path)
    assert.deepEqual([status, headers.get('allow')], [404, allow], `${method} ${path}`)
  }
})

test('if an idempotency key is reused at another endpoint, the error explains the conflict [idempotency.conflicts.1]', async () => {
  const headers = { 'idempotency-key': 'once' }
  const body = { source: 'https://1.1.1.1/a.jpg' }
  assert.equal((await call('POST', '/v1/images/read', { headers, body })).status, 202)
  const { error } = (await call('POST', '/v1/documents/read', { headers, body })).body
  assert.match(error.message, /with another body, or at another endpoint\. Send the same call again/)
})

test('the example in an error message for converting only the format works for images and videos [errors.messages.1]', async () => {
  for (const [endpoint, path, format] of [
    ['images', '/photo.png', 'webp'],
    ['videos', '/clip.mp4', 'mp4'],
  ] as const) {
    const body = { source: sources.url(path), operations: [{ type: 'flip' }], output: { format } }
    const { status, result } = await service.finish(`/v1/${endpoint}/process`, body)
    assert.deepEqual([status, result.files[0].format], ['succeeded', format])
  }
})

test('finding a suggestion for a misspelled word of one megabyte costs as little as for a short word', async () => {
  const word = 'operations'.repeat(100_000)
  const body = { source: 'https://1.1.1.1/a.jpg', operations: [{ type: word, [word.slice(0, 1000)]: 1 }] }
  const { status, body: response } = await call('POST', '/v1/images/process', { body: JSON.stringify(body) })
  assert.equal(status, 422)
  assert.ok(response.error.message.length < 400, response.error.message)
  assert.match(response.error.message, /^operations\[0\]\.type is "(?:operations){4}…", which is not an operation/)
})
