import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { call, sql } = service

const IMAGE = 'https://1.1.1.1/a.jpg'

test('a request returns customer and metadata unchanged, and never returns webhook_url [requests.object.3]', async () => {
  const metadata = '{"z":"1","a":"","__proto__":"p","constructor":"c","😀":"\\u00e9\\n","n":"-0"}'
  const body = `{"source":"${IMAGE}","customer":"first","customer":"Ada 😀","metadata":${metadata},"webhook_url":"https://1.1.1.1/hook"}`
  const accepted = await call('POST', '/v1/images/read', { body })
  assert.equal(accepted.status, 202)
  assert.equal(accepted.body.customer, 'Ada 😀')
  assert.equal(JSON.stringify(accepted.body.metadata), JSON.stringify(JSON.parse(metadata)))
  assert.equal('webhook_url' in accepted.body, false)
  assert.deepEqual(accepted.body.input, {})
  const read = await call('GET', `/v1/requests/${accepted.body.id}`)
  assert.equal(JSON.stringify(read.body), JSON.stringify(accepted.body))
  const [row] = await sql`select webhook_url as url from requests where id = ${accepted.body.id}`
  assert.equal(row?.['url'], 'https://1.1.1.1/hook')
})

test('a request returns its input with the keys in their original order, and each number as JSON.parse reads it [requests.object.2]', async () => {
  const input =
    '{"output":{"format":"png"},"operations":[{"height":1e1,"type":"resize","crop_center":false,"width":2.0},{"type":"watermark","image_url":"https://1.1.1.1/m.png","x":-0,"y":0,"tile_spacing_x":0.5}]}'
  const { status, body } = await call('POST', '/v1/images/process', {
    body: `{"source":"${IMAGE}",${input.slice(1)}`,
  })
  assert.equal(status, 202)
  assert.equal(JSON.stringify(body.input), JSON.stringify(JSON.parse(input)))
})
