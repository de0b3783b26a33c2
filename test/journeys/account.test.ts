import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { updateWebhookUrl } from '../../src/db/accounts.ts'
import { OPERATIONS } from '../../src/operations/index.ts'
import { openAccount } from '../support/line.ts'
import { startService } from '../support/service.ts'

const service = await startService({ workers: false })
after(() => service[Symbol.asyncDispose]())
const { call, sql } = service

test('the account tells who calls, its balance, its limits and its webhook [2, 2.5, 4.4]', async () => {
  const { id, liveKey: key } = await openAccount(sql)
  const { status, body } = await call('GET', '/v1/account', { key })
  assert.equal(status, 200)
  const { created_at, ...rest } = body
  assert.match(created_at, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
  assert.deepEqual(rest, {
    object: 'account',
    id,
    name: 'Ada',
    email: 'ada@example.com',
    tier: 'free',
    balance: { amount: '1.000000', currency: 'usd', micro_usd: 1_000_000 },
    webhook_url: null,
    livemode: true,
    limits: { requests_per_minute: 30, concurrent_requests: 2, max_source_bytes: 26_214_400 },
    suspended: false,
  })
  await updateWebhookUrl(sql, id, 'https://example.com/hook')
  assert.equal((await call('GET', '/v1/account', { key })).body.webhook_url, 'https://example.com/hook')
})

test('the catalog has every operation by kind of file, with its parameters [2.7, 4.4, 4.5, rulings 11]', async () => {
  const { body } = await call('GET', '/v1/operations')
  assert.equal(body.object, 'operations')
  const { image, video, document } = body.data
  assert.deepEqual(Object.keys(body.data), ['image', 'video', 'document'])
  assert.deepEqual(image.formats, ['jpg', 'png', 'webp', 'gif', 'tif'])
  assert.deepEqual([video.formats, document.formats], [['mp4'], ['pdf']])
  assert.deepEqual(
    Object.keys(image.operations),
    OPERATIONS.map(({ name }) => name),
  )
  const onVideos = ['watermark', 'border', 'resize', 'crop', 'rotate', 'flip', 'grayscale']
  assert.deepEqual(Object.keys(video.operations), onVideos)
  assert.deepEqual(Object.keys(document.operations), ['watermark'])
  const { params } = image.operations.resize
  assert.deepEqual(Object.keys(params), ['width', 'height', 'preserve_aspect_ratio', 'crop_center'])
  const { description, ...width } = params.width
  assert.ok(description.length > 0)
  assert.deepEqual(width, { required: true, type: 'integer', minimum: 1, maximum: 20_000 })
  assert.deepEqual([params.crop_center.required, params.crop_center.default], [false, false])
  assert.equal(image.operations.filter.params.name.enum.length, 18)
  assert.deepEqual(image.operations.orient.params, {})
})
