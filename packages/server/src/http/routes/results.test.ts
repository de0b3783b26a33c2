import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import {
  acceptable,
  aliveWorker,
  openAccount,
  RETENTION_MS,
  SECRET_KEY,
  succeeded,
} from '@mediamill/lab/support/request-rows'
import { openTestServer } from '@mediamill/lab/support/server-without-workers'
import { afterFile, sharedFolder } from '@mediamill/lab/support/shared'
import { accept } from '../../requests/accept.ts'
import { claim } from '../../requests/claim.ts'
import { present } from '../../requests/present.ts'
import { settle } from '../../requests/settle.ts'
import { openDiskStore } from '../../store/disk.ts'
import { deriveLinkKeys } from '../../store/link.ts'

const { sql } = await sharedDatabase()
const folder = await sharedFolder('mediamill-results-')
const store = await openDiskStore(join(folder, 'store'))
const server = openTestServer(sql, store)
afterFile(() => server.close())

const BYTES = Buffer.from('0123456789 of a result')
const SHA256 = createHash('sha256').update(BYTES).digest('hex')
const TAG = `"${SHA256}"`
const account = await openAccount(sql)

async function finished() {
  await accept(sql, acceptable(account.id))
  const claimed = await claim(sql, await aliveWorker(sql), 'image', [])
  assert.ok(claimed)
  const path = join(folder, 'result')
  await writeFile(path, BYTES)
  const key = await store.put(path, 'png', claimed.request.id)
  const file = { key, format: 'png', size: BYTES.length, sha256: SHA256 } as const
  const outcome = { ...succeeded(0), files: [file] }
  const request = await settle(sql, claimed.lease, outcome as ReturnType<typeof succeeded>, RETENTION_MS)
  assert.ok(request?.status === 'succeeded')
  const shown = present(request, { keys: deriveLinkKeys([SECRET_KEY]), baseUrl: '' })
  assert.ok(shown.status === 'succeeded')
  return { id: request.id, key, link: shown.result.files[0]?.url ?? '' }
}

type Headers = Record<string, string>

const { paths } = JSON.parse(readFileSync(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, { get?: { responses: object } }>
}

/** Asserts that the OpenAPI description lists the status of each response. */
async function get(url: string, headers: Headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  const response = await server.inject({ method, url, headers })
  const listed = Object.keys(paths['/v1/results/{id}']?.get?.responses ?? {})
  assert.ok(listed.includes(String(response.statusCode)), `the OpenAPI description lacks ${response.statusCode}`)
  return response
}

async function followed(link: string): Promise<string> {
  const response = await get(link)
  assert.equal(response.statusCode, 302)
  const { pathname, search } = new URL(String(response.headers['location']))
  return pathname + search
}

const codeOf = async (url: string) => {
  const response = await get(url)
  return `${response.statusCode} ${response.statusCode < 400 ? '' : response.json().error.code}`.trim()
}

test('browsers and pages of any origin can cache a result file until its deletion, but not the redirect to the file [results.files.4]', async () => {
  const { link } = await finished()
  const redirect = await get(link)
  assert.equal(redirect.headers['cache-control'], 'no-store')
  assert.equal(redirect.headers['access-control-allow-origin'], '*')
  const path = await followed(link)
  assert.equal(await followed(link), path)
  for (const response of [await get(path), await get(path, {}, 'HEAD'), await get(path, { 'if-none-match': TAG })]) {
    const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(String(response.headers['cache-control'])) ?? []
    assert.ok(Number(seconds) > RETENTION_MS / 1000 - 60 && Number(seconds) <= RETENTION_MS / 1000, seconds)
    assert.equal(response.headers['access-control-allow-origin'], '*')
    assert.match(String(response.headers['access-control-expose-headers']), /Content-Range, ETag/)
  }
  const past = await get(path, { range: 'bytes=999-' })
  assert.deepEqual([past.statusCode, past.headers['cache-control']], [416, 'no-store'])
})

test('a result link returns the whole file with its name and type, and headers that stop a browser from running the file as a page of the service [results.files.2]', async () => {
  const { id, link } = await finished()
  const response = await get(await followed(link))
  assert.ok(response.rawPayload.equals(BYTES))
  const { headers } = response
  assert.deepEqual(
    [response.statusCode, headers['content-type'], headers['content-length'], headers['etag']],
    [200, 'image/png', String(BYTES.length), TAG],
  )
  assert.equal(headers['accept-ranges'], 'bytes')
  assert.equal(headers['content-disposition'], `inline; filename="${id}.png"`)
  assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
  assert.equal(headers['x-content-type-options'], 'nosniff')
})

test("a result link returns 304 if If-None-Match contains the file's ETag, and the file otherwise [results.files.2]", async () => {
  const path = await followed((await finished()).link)
  for (const tags of [
    TAG,
    `"a", ${TAG}`,
    `${TAG},"b"`,
    `"a" , ${TAG} , "b"`,
    `W/${TAG}`,
    `"a", W/${TAG}`,
    '*',
    ' * ',
  ]) {
    const response = await get(path, { 'if-none-match': tags })
    assert.deepEqual([response.statusCode, response.body, response.headers['etag']], [304, '', TAG], tags)
  }
  for (const tags of ['"a"', `"a", "${SHA256}0"`, SHA256, 'W/"a"', `w/${TAG}`, '"*"']) {
    assert.equal((await get(path, { 'if-none-match': tags })).statusCode, 200, tags)
  }
})

test('a result link returns 206 for a range, only headers for HEAD, and 416 for a range past the end of the file [results.files.2, results.files.3]', async () => {
  const path = await followed((await finished()).link)
  const part = await get(path, { range: 'bytes=2-4' })
  assert.deepEqual(
    [part.statusCode, part.body, part.headers['content-range'], part.headers['content-length']],
    [206, '234', `bytes 2-4/${BYTES.length}`, '3'],
  )
  const stale = await get(path, { range: 'bytes=2-4', 'if-range': '"a"' })
  assert.deepEqual([stale.statusCode, stale.headers['content-range']], [200, undefined])
  const head = await get(path, {}, 'HEAD')
  assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, String(BYTES.length), ''])
  const past = await get(path, { range: `bytes=${BYTES.length}-` })
  assert.deepEqual(
    [past.statusCode, past.json().error.code, past.headers['content-range'], past.headers['etag']],
    [416, 'range_not_satisfiable', `bytes */${BYTES.length}`, undefined],
  )
  assert.match(past.json().error.message, new RegExp(` ${BYTES.length} bytes`))
  assert.match(String(past.headers['content-type']), /json/)
  assert.equal(past.headers['content-disposition'], undefined)
})

test('a result link returns 410 if it is expired or its files are deleted, and 403 if the link was changed [results.links.2, results.links.3]', async () => {
  const [old, gone, lost] = [await finished(), await finished(), await finished()]
  const path = await followed(lost.link)
  await sql`update requests set deleted_at = now() where id = ${old.id}`
  await sql`update requests set sweep_at = null where id = ${gone.id}`
  assert.deepEqual([await codeOf(old.link), await codeOf(gone.link)], ['410 result_expired', '410 result_expired'])
  await store.delete(lost.key)
  assert.equal(await codeOf(path), '410 result_expired')
  assert.equal(await codeOf(lost.link.replace(/.$/, (last) => (last === '0' ? '1' : '0'))), '403 invalid_signature')
  assert.equal(await codeOf(path.replace(/.$/, (last) => (last === '0' ? '1' : '0'))), '403 invalid_signature')
})
