import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { get } from 'node:http'
import { test } from 'node:test'
import { quarters } from '@mediamill/lab/support/images'
import { until } from '@mediamill/lab/support/process'
import type { Json, Service } from '@mediamill/lab/support/service'
import { sharedService, startService } from '@mediamill/lab/support/service'
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

/** Returns the status and error code of a call to an unchanged path. `fetch` would normalize the path. */
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

test('a result link with one changed character in its id, expiry, or signature returns 403 invalid_signature [results.links.2]', async () => {
  const id = link.pathname.split('/').at(-1) ?? ''
  const expires = link.searchParams.get('expires') ?? ''
  const signature = link.searchParams.get('signature') ?? ''
  const pathOf = (parts: { id?: string; expires?: string; signature?: string }) => {
    const all = { id, expires, signature, ...parts }
    return `/v1/results/${all.id}?expires=${all.expires}&signature=${all.signature}`
  }
  assert.equal(await answered(pathOf({})), '302')
  const other = (await finished(service)).id
  const forged = [
    ...changes(id).map((changed) => pathOf({ id: changed })),
    ...changes(expires).map((changed) => pathOf({ expires: changed })),
    ...changes(signature).map((changed) => pathOf({ signature: changed })),
    pathOf({ id: String(other) }),
    pathOf({ id: `0${id}` }),
    pathOf({ id: `${id}%20` }),
    pathOf({ id: '..%2f..%2fsecret-key' }),
    pathOf({ expires: `${expires}&expires=${Number(expires) + 1}` }),
    pathOf({ expires: '9'.repeat(400) }),
    pathOf({ signature: signature.toUpperCase() }),
    pathOf({ signature: `${signature}0` }),
    pathOf({ signature: '' }),
    `/v1/results/${id}`,
    `/v1/results/${id}?expires=${expires}`,
    `/v1/results/${id}?signature=${signature}`,
  ]
  // The forged signature is the signature in capitals, so it must contain a letter.
  assert.notEqual(signature, signature.toUpperCase())
  for (const path of forged) assert.equal(await answered(path), '403 invalid_signature', path)
})

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

test('a result file is served unchanged with its own type, and with headers that prevent scripts [results.files.2]', async () => {
  for (const [format, type] of [
    ['jpg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['webp', 'image/webp'],
    ['tif', 'image/tiff'],
  ] as const) {
    const request = await finished(service, format)
    const [file] = request.result.files
    const redirect = await fetch(file.url, { redirect: 'manual' })
    assert.deepEqual([redirect.status, redirect.headers.get('cache-control')], [302, 'no-store'])
    const response = await fetch(file.url)
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(createHash('sha256').update(bytes).digest('hex'), file.sha256)
    assert.deepEqual(
      ['content-type', 'x-content-type-options', 'content-security-policy', 'content-disposition', 'set-cookie'].map(
        (name) => response.headers.get(name),
      ),
      [type, 'nosniff', "default-src 'none'; sandbox", `inline; filename="${request.id}.${format}"`, null],
    )
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

test('after its expiry, a result link returns 410 result_expired, and a changed result link still returns 403 [results.links.2, results.links.3]', async () => {
  await using brief = await startService({ allowed: [server.host], settings: { RETENTION: '2s' } })
  const { url } = (await finished(brief)).result.files[0]
  let response: Response | undefined
  await until(async () => {
    response = await fetch(url, { redirect: 'manual' })
    return response.status !== 302
  })
  assert.equal(response?.status, 410)
  const { error } = (await response.json()) as Json
  assert.deepEqual([error.type, error.code], ['gone', 'result_expired'])
  const forged = await fetch(`${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`, { redirect: 'manual' })
  assert.equal(forged.status, 403)
})
