import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import type { Json, Service } from '@mediamill/lab/support/service'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedSourceServer } from '@mediamill/lab/support/source-server'
import { updateAccount } from '../../src/db/accounts/accounts.ts'

const server = await sharedSourceServer({ '/a.png': await quarters(16, 16) })
const service = await sharedService({ allowed: [server.host] })

const finished = (of: Service, format = 'png'): Promise<Json> =>
  of.finish('/v1/images/process', {
    source: server.url('/a.png'),
    operations: [{ type: 'grayscale' }],
    output: { format },
  })

/** Calls a path unchanged; `fetch` would normalize the path. Resolves to the status and the error code. */
function answered(path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get({ port: new URL(service.url).port, path, agent: false }, (response) => {
    let text = ''
    response.setEncoding('latin1').on('data', (chunk: string) => void (text += chunk))
    response.on('end', () => resolve(`${response.statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim()))
  }).on('error', reject)
  return promise
}

const link = new URL((await finished(service)).result.files[0].url)
const location = new URL((await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '')

const changes = (text: string) =>
  Array.from(text, (character, index) => text.slice(0, index) + (character === '1' ? '2' : '1') + text.slice(index + 1))

test('a result file is available only at the address to which its result link redirects [results.files.1]', async () => {
  const [, , , key = '', name = ''] = location.pathname.split('/')
  const query = location.search
  assert.equal(await answered(location.pathname + query), '200')
  const signed = location.searchParams
  const changed = (field: string) =>
    changes(signed.get(field) ?? '').map((value) => {
      const other = new URLSearchParams(signed)
      other.set(field, value)
      return `${location.pathname}?${other}`
    })
  const forged = [
    location.pathname,
    ...['sha256', 'expires', 'signature'].flatMap(changed),
    ...changes(key).map((other) => `/v1/files/${other}/${name}${query}`),
    ...changes(name).map((other) => `/v1/files/${key}/${other}${query}`),
    `/v1/files/${key}/${name}${query.replace('?', '?x=1&').replace('signature', 'signatur')}`,
    `/v1/files/..%2f..%2fsecret-key/${name}${query}`,
    `/v1/files/%2e%2e/${name}${query}`,
    `/v1/files/${key}%00/${name}${query}`,
    `/v1/files/..%5c${key}/${name}${query}`,
  ]
  for (const path of forged) assert.equal(await answered(path), '403 invalid_signature', path)
  for (const path of [
    '/v1/files/../../secret-key',
    '/v1/files/',
    `/v1/files/${key}`,
    '/../../etc/passwd',
    '/results',
  ]) {
    assert.equal(await answered(path), '404 not_found', path)
  }
})

test('a result link works after its API key is revoked or its account is suspended [results.links.5]', async () => {
  const { sql, account } = service
  const { url } = (await finished(service)).result.files[0]
  await sql`update api_keys set revoked_at = now() where account_id = ${account.id}`
  await updateAccount(sql, account.id, { suspended: true })
  assert.equal((await service.call('GET', '/v1/account')).status, 401)
  assert.equal((await fetch(url)).status, 200)
  await updateAccount(sql, account.id, { suspended: false })
  await sql`update api_keys set revoked_at = null where account_id = ${account.id}`
})
