import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Browser } from '@mediamill/lab/support/browser'
import { CONSOLE_ROUTES, openBrowser, signedIn } from '@mediamill/lab/support/browser'
import type { Json } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'

const service = await sharedService()
const { account, url } = service

async function lived(key: string) {
  const photo = await (await fetch(`${url}/docs/samples/photo.jpg`)).arrayBuffer()
  const uploaded = await fetch(`${url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg' },
    body: photo,
  })
  const upload = (await uploaded.json()) as { id: string; url: string }
  const body = { source: `upload:${upload.id}`, operations: [{ type: 'grayscale' }] }
  const { body: request } = await service.call('POST', '/v1/images/process', { key, body })
  await service.settled(request.id)
  const [event] = await service.sql<{ id: string }[]>`select id from events where request_id = ${request.id}`
  return { upload: upload.id, request: request.id as number, event: event?.id ?? assert.fail() }
}

const made = { live: await lived(account.liveKey), test: await lived(account.testKey) }

async function withKey(key: string): Promise<Browser> {
  const browser = openBrowser(service)
  assert.equal((await browser.call('POST', '/session', { body: { api_key: key } })).status, 201)
  return browser
}

for (const [mode, other] of [
  ['live', 'test'],
  ['test', 'live'],
] as const) {
  describe(`a session of a ${mode} key`, () => {
    const own = made[mode]
    const foreign = made[other]
    const key = mode === 'live' ? account.liveKey : account.testKey

    test(`a session of a key lists only requests, events, and usage of the key's mode, even if the query names the other mode [console.sign_in.4]`, async () => {
      const browser = await withKey(key)
      const idsAt = async (path: string) =>
        (await browser.call('GET', path)).body.data.map((row: Json) => row.request ?? row.id)
      assert.deepEqual(await idsAt('/requests'), [own.request])
      assert.deepEqual(await idsAt('/requests?status=succeeded&mode=' + other), [own.request])
      assert.deepEqual(await idsAt(`/requests?livemode=${String(other === 'live')}`), [])
      assert.deepEqual(await idsAt(`/requests?livemode=${String(mode === 'live')}`), [own.request])
      assert.deepEqual(await idsAt('/events'), [own.request])
      assert.deepEqual(await idsAt(`/events?request_id=${foreign.request}`), [])
      const { recent, days } = (await browser.call('GET', '/overview')).body
      assert.deepEqual(
        recent.map(({ id }: Json) => id),
        [own.request],
      )
      assert.equal(
        days.reduce((sum: number, day: Json) => sum + day.requests, 0),
        1,
      )
      const usage = (await browser.call('GET', `/usage?mode=${other}`)).body.data
      assert.equal(
        usage.reduce((sum: number, day: Json) => sum + day.requests, 0),
        1,
      )
    })

    test('a session of a key can neither read nor change anything in the other mode [console.sign_in.4]', async () => {
      const browser = await withKey(key)
      const paths = ({ request, event, upload }: typeof own) => [
        ['GET', `/requests/${request}`],
        ['GET', `/requests/${request}/source`],
        ['GET', `/requests/${request}/preview`],
        ['GET', `/events/${event}`],
        ['POST', `/events/${event}/resend`],
        ['GET', `/uploads/${upload}`],
        ['GET', `/uploads/${upload}/content`],
        ['POST', `/requests/${request}/abort`],
        ['DELETE', `/requests/${request}/files`],
        ['DELETE', `/uploads/${upload}`],
      ]
      for (const [method = '', path = ''] of paths(foreign))
        assert.equal((await browser.call(method, path)).status, 404, `${method} ${path}`)
      for (const [method = '', path = ''] of paths(own).slice(0, 7))
        assert.notEqual((await browser.call(method, path)).status, 404, `${method} ${path}`)
      const draft = async (upload: string) => {
        const body = { endpoint: 'images/read', body: { source: `upload:${upload}` } }
        return (await browser.call('POST', '/estimates', { body })).body.error?.code
      }
      assert.deepEqual([await draft(foreign.upload), await draft(own.upload)], ['upload_not_found', undefined])
      const { result } = await service.settled(foreign.request)
      assert.equal(result.files_deleted_at ?? null, null)
    })
  })
}

test('an account session in the console, and a key on /v1, see requests of both modes [auth.scope.1]', async () => {
  const owner = await signedIn(service, { kind: 'account', accountId: account.id })
  const both = [made.test.request, made.live.request]
  const ids = ({ data }: Json) => data.map(({ id }: Json) => id)
  assert.deepEqual(ids((await owner.call('GET', '/requests')).body), both)
  assert.deepEqual(ids((await service.call('GET', '/v1/requests', { key: account.testKey })).body), both)
  const { status } = await service.call('GET', `/v1/requests/${made.live.request}`, { key: account.testKey })
  assert.equal(status, 200)
})

test('the tests of this file cover every console route of an account that a session of a key may call', () => {
  const tried = [
    'overview',
    'estimates',
    'events',
    'events/{id}',
    'events/{id}/resend',
    'requests/{id}/preview',
    'requests/{id}/source',
    'uploads/{id}/content',
  ]
  const withoutRequests = ['webhook', 'checkout']
  const routes = CONSOLE_ROUTES.filter(
    ({ allowedSessions, ofAccount }) => ofAccount && allowedSessions !== 'anyone' && allowedSessions.includes('key'),
  )
  assert.deepEqual(
    new Set(
      routes.map(({ path }) => path.slice('/console/api/'.length)).filter((path) => !withoutRequests.includes(path)),
    ),
    new Set(tried),
  )
})
