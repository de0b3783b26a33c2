import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, signedIn } from '@mediamill/lab/support/browser'
import { openAccount } from '@mediamill/lab/support/request-rows'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'

const service = await sharedService({ workers: false })
const { account } = service

const product = (width: number) => ({ name: 'product', operations: [{ type: 'resize', width, height: 100 }] })

test('sessions of an account and of its live and test keys create, list, read, and delete the same templates [console.templates.1]', async () => {
  const owner = await signedIn(service, { kind: 'account', accountId: account.id })
  const [ofLive, ofTest] = [openBrowser(service), openBrowser(service)]
  await ofLive.call('POST', '/session', { body: { api_key: account.liveKey } })
  await ofTest.call('POST', '/session', { body: { api_key: account.testKey } })
  for (const [index, browser] of [owner, ofLive, ofTest].entries()) {
    const made = await browser.call('POST', '/templates', { body: product(index + 8) })
    assert.deepEqual([made.status, made.body.id], [201, `product@${index + 1}`])
  }
  for (const browser of [owner, ofLive, ofTest]) {
    const { data } = (await browser.call('GET', '/templates')).body
    assert.deepEqual(
      data.map(({ id }: Json) => id),
      ['product@3'],
    )
    assert.equal((await browser.call('GET', '/templates/product%402')).body.operations[0].width, 9)
  }
  const invalid = await ofTest.call('POST', '/templates', { body: product(0) })
  assert.deepEqual([invalid.status, invalid.body.error.param], [422, 'operations.0.width'])
  assert.equal((await ofTest.call('DELETE', '/templates/product')).status, 200)
  assert.equal((await owner.call('GET', '/templates/product')).status, 404)
})

test("an operator's session manages the templates of the account that it names, and its changes are in the audit log [console.templates.1, console.audit.2]", async () => {
  const stranger = await openAccount(service.sql)
  const operator = await signedIn(service, { kind: 'operator', name: 'Grace' })
  const asked = `?account=${stranger.id}`
  assert.equal((await operator.call('POST', '/templates', { body: product(8) })).status, 422)
  assert.equal((await operator.call('POST', `/templates${asked}`, { body: product(8) })).status, 201)
  const owner = await signedIn(service, { kind: 'account', accountId: stranger.id })
  assert.equal((await owner.call('GET', '/templates/product')).body.id, 'product@1')
  assert.equal((await operator.call('DELETE', `/templates/product${asked}`)).status, 200)
  const { data } = (await owner.call('GET', '/audit')).body
  const calls = data.filter(({ action }: Json) => action === 'api.called')
  assert.deepEqual(
    calls.map(({ subject, actor, name }: Json) => [subject, actor, name]),
    [
      ['DELETE /v1/templates/product', 'operator', 'Grace'],
      ['POST /v1/templates', 'operator', 'Grace'],
    ],
  )
})
