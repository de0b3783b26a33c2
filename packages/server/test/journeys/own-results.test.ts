import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleUrl } from '@mediamill/contract/objects/samples'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'

/** A service that may not fetch from loopback. It reads its own results from the store. */
const service = await sharedService()
const { call, finish, sql } = service

const resize = (source: string) => ({ source, operations: [{ type: 'resize', width: 40, height: 40 }] })
const made: Json = await finish('/v1/images/process', resize(sampleUrl(service.url, 'photo.jpg')))
const link: string = made.result.files[0].url

test('a result link is accepted as a source only if it is unchanged and its files are not deleted, and only for the account of the result [sources.own_results.1]', async () => {
  const rejected = async (source: string, key = service.account.liveKey) => {
    const { status, body } = await call('POST', '/v1/images/read', { key, body: { source } })
    return `${status} ${body.error?.code}`
  }
  const changed = link.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const other = link.replace(/results\/\d+/, `results/${Number(made.id) + 1}`)
  const host = link.replace('127.0.0.1', '127.0.0.2')
  for (const source of [changed, other, host, `${link}&a=1`, `${link}#a`, link.replace('/v1/', '/v1/../v1/')]) {
    assert.match(await rejected(source), /^422 url_(blocked|invalid)$/, source)
  }
  const stranger = await openAccount(sql)
  assert.match(await rejected(link, stranger.liveKey), /^422 url_/)
  await sql`update requests set sweep_at = null where id = ${made.id}`
  assert.match(await rejected(link), /^422 url_/)
  await sql`update requests set sweep_at = deleted_at where id = ${made.id}`
  const hook = await call('POST', '/v1/images/read', { body: { source: link, webhook_url: link } })
  assert.deepEqual([hook.status, hook.body.error.param], [422, 'webhook_url'])
})
