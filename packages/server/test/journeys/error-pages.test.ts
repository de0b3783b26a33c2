import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { API_ERRORS, FAILURE_CODES } from '@mediamill/contract/domain/errors'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'

const service = await sharedService()
const { call, finish, url } = service

async function sectionAt(docUrl: string): Promise<string> {
  const response = await fetch(docUrl)
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'], docUrl)
  const anchor = new URL(docUrl).hash.slice(1)
  const sections = (await response.text()).split('<h2 ').filter((part) => part.startsWith(`id="${anchor}">`))
  assert.equal(sections.length, 1, docUrl)
  return sections[0] ?? ''
}

test('the doc_url of every error code leads to a section of a page on this service [errors.body.3]', async () => {
  const description: Json = (await call('GET', '/v1/openapi.json', { key: null })).body
  const shown = Object.values<Json>(description.components.responses).flatMap(({ content }) =>
    Object.values<Json>(content['application/json'].examples).map(({ value }) => value.error),
  )
  const codes = new Set<string>([...shown.map(({ code }) => code), ...Object.keys(API_ERRORS), ...FAILURE_CODES])
  assert.ok(shown.length > 20, String(shown.length))
  for (const { code, doc_url } of shown) assert.equal(doc_url, `${url}/docs/errors#${code}`)
  for (const code of codes) assert.match(await sectionAt(`${url}/docs/errors#${code}`), /Fix\./, code)
})

test('every kind of error has a doc_url: errors of routes, unknown paths, invalid HTTP, and failed requests [errors.body.3, errors.failures.1]', async () => {
  const operations = [{ type: 'crop', x: 19_000, y: 0, width: 1, height: 1 }]
  const failed = await finish('/v1/images/process', { source: `${url}/docs/samples/photo.jpg`, operations })
  const errors = [
    (await call('GET', '/v1/account', { key: null })).body.error,
    (await call('GET', '/v1/nothing')).body.error,
    (await call('POST', '/v1/images/read', { body: '{' })).body.error,
    JSON.parse((await sent('no http\r\n\r\n')).split('\r\n\r\n')[1] ?? '').error,
    failed.error,
  ]
  for (const { code, doc_url } of errors) assert.match(await sectionAt(doc_url), new RegExp(`>${code}<`), code)
  assert.deepEqual(errors.at(-1)?.doc_url, `${url}/docs/errors#processing_failed`)
})

test('the page of error codes works below the path of a BASE_URL [errors.body.3]', async () => {
  await using public_ = await startService({
    workers: false,
    settings: { BASE_URL: 'https://media.example.com/mill/' },
  })
  const { error } = (await public_.call('GET', '/v1/account', { key: null })).body
  assert.equal(error.doc_url, 'https://media.example.com/mill/docs/errors#missing_api_key')
  assert.match(await (await fetch(`${public_.url}/docs/errors`)).text(), /href="\/mill\/docs"/)
})

async function sent(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(bytes)
  return await text(socket)
}
