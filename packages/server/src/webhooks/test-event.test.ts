import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imagesProcess } from '@mediamill/contract/endpoints/images-process'
import { exampleSucceeded } from '@mediamill/contract/objects/examples'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { startReceiver } from '@mediamill/lab/support/receiver'
import { openAccount, SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { Webhook } from 'standardwebhooks'
import { parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { postTestEvent } from './test-event.ts'

const { sql } = await sharedDatabase()

test('a webhook test posts a signed example event, whose creation time is in seconds, as in all events', async () => {
  await using receiver = await startReceiver(204)
  const account = await openAccount(sql)
  const example = { ...exampleSucceeded(imagesProcess), livemode: false }
  const network = { allowedHosts: parseAllowedHosts(receiver.host) }
  const options = { sql, secretKey: SECRET_KEY, network, example }
  const earliest = Math.floor(Date.now() / 1000)
  const { id, delivered, status } = await postTestEvent(options, account.id, receiver.url('/hook'))
  const latest = Math.floor(Date.now() / 1000)
  assert.deepEqual([delivered, status], [true, 204])
  const [call] = receiver.received
  assert.ok(call)
  const event = new Webhook(account.webhookSecret).verify(
    call.raw.toString(),
    call.headers as Record<string, string>,
  ) as { created: number }
  assert.partialDeepStrictEqual(event, { id, object: 'event', type: 'request.succeeded', data: { livemode: false } })
  assert.ok(earliest <= event.created && event.created <= latest)
})
