import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'
import { begin, digest, FILE } from './uploads.ts'

const TUS = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' }
const patch = (kit: Kit, url: string, offset: number, body: Buffer, headers: Record<string, string> = {}) =>
  kit.call('PATCH', url, { key: null, body, headers: { ...TUS, 'upload-offset': String(offset), ...headers } })

export const TUS_UPLOADS = checksOf([
  {
    title: 'tus resumes an upload, and accepts exactly one of two chunks at the same offset',
    rules: ['uploads.tus.1', 'uploads.tus.3', 'uploads.tus.4', 'uploads.tus.5', 'uploads.tus.6'],
    run: async (kit) => {
      const { upload_url: url, id } = await begin(kit)
      const head = async () => {
        const { status, headers } = await kit.call('HEAD', url, { key: null, headers: { 'tus-resumable': '1.0.0' } })
        equal(headers.get('cache-control'), 'no-store', 'Cache-Control of HEAD')
        ok(Date.parse(headers.get('upload-expires') ?? '') > Date.now(), 'Upload-Expires', headers)
        return [status, headers.get('upload-offset'), headers.get('upload-length')]
      }
      equal(await head(), [200, '0', String(FILE.length)], 'HEAD at the start')
      const { headers } = await kit.call('OPTIONS', url, { key: null, headers: { 'tus-resumable': '0.2.2' } })
      equal(
        [headers.get('tus-version'), headers.get('tus-extension')],
        ['1.0.0', 'termination,expiration,checksum'],
        'OPTIONS',
      )
      const piece = FILE.subarray(0, 100)
      await kit.rejects(
        patch(kit, url, 0, piece, { 'upload-checksum': `sha256 ${digest(FILE).digest('base64')}` }),
        460,
        'upload_checksum_mismatch',
      )
      equal((await head())[1], '0', 'the offset after a wrong checksum')
      const pair = await Promise.all(
        [1, 2].map(() => patch(kit, url, 0, piece, { 'upload-checksum': `sha256 ${digest(piece).digest('base64')}` })),
      )
      equal(
        pair.map(({ status }) => status).toSorted((a, b) => a - b),
        [204, 409],
        'two chunks for one offset',
      )
      equal((await head())[1], '100', 'HEAD after a chunk')
      for (const offset of [99, 101])
        await kit.rejects(patch(kit, url, offset, FILE.subarray(offset)), 409, 'upload_offset_mismatch')
      equal((await patch(kit, url, 100, Buffer.alloc(0))).status, 204, 'an empty chunk')
      await kit.rejects(
        patch(kit, url, 100, FILE.subarray(100), { 'tus-resumable': '0.2.2' }),
        412,
        'tus_version_unsupported',
      )
      await kit.rejects(
        patch(kit, url, 100, FILE.subarray(100), { 'content-type': 'image/png' }),
        415,
        'content_type_unsupported',
      )
      await kit.rejects(patch(kit, url, 100, FILE), 422, 'upload_too_large')
      const checksum = `sha1 ${digest(FILE.subarray(100), 'sha1').digest('base64')}`
      const last = await patch(kit, url, 100, FILE.subarray(100), { 'upload-checksum': checksum })
      equal([last.status, last.headers.get('upload-offset')], [204, String(FILE.length)], 'the last piece')
      const { body } = await kit.call('GET', `/v1/uploads/${id}`)
      equal([body.status, body.sha256], ['complete', digest(FILE).digest('hex')], 'the upload')
      const other = await begin(kit)
      equal(
        (await kit.call('DELETE', other.upload_url, { key: null, headers: { 'tus-resumable': '1.0.0' } })).status,
        204,
        'tus ends an upload',
      )
    },
  },
  {
    title: 'X-HTTP-Method-Override turns a POST into PATCH or DELETE, and is rejected on other methods',
    rules: ['uploads.tus.2'],
    run: async (kit) => {
      const { upload_url: url, id } = await begin(kit)
      const override = (method: string, name: string, more: object = {}) =>
        kit.call(method, url, { key: null, headers: { ...TUS, 'x-http-method-override': name }, ...more })
      const headers = { ...TUS, 'x-http-method-override': 'PATCH', 'upload-offset': '0' }
      const first = await override('POST', 'PATCH', { headers, body: FILE.subarray(0, 50) })
      equal([first.status, first.headers.get('upload-offset')], [204, '50'], 'a POST with PATCH')
      equal((await override('PUT', 'PATCH', { body: FILE })).status, 422, 'a PUT with an override')
      await kit.rejects(override('POST', 'PUT'), 404, 'not_found')
      await kit.rejects(kit.call('POST', url, { key: null }), 404, 'not_found')
      const without = { 'x-http-method-override': 'PATCH' }
      await kit.rejects(kit.call('POST', url, { key: null, headers: without }), 412, 'tus_version_unsupported')
      equal((await override('POST', 'DELETE')).status, 204, 'a POST with DELETE')
      await kit.rejects(kit.call('GET', `/v1/uploads/${id}`), 404, 'not_found')
    },
  },
  {
    title: 'an upload accepts at most 100 chunks below 64 KiB, not counting the last chunk',
    rules: ['uploads.tus.7'],
    run: async (kit) => {
      const { upload_url: url } = await begin(kit)
      for (let offset = 0; offset < 100; offset += 1)
        equal((await patch(kit, url, offset, FILE.subarray(offset, offset + 1))).status, 204, `chunk ${offset}`)
      await kit.rejects(patch(kit, url, 100, FILE.subarray(100, 101)), 422, 'validation_failed')
      equal((await patch(kit, url, 100, FILE.subarray(100))).status, 204, 'the last chunk')
    },
  },
])
