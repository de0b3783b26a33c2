import { createHash, randomUUID } from 'node:crypto'
import { DAY_MS } from '@mediamill/contract/lib/moment'
import { checksOf } from '../kit/check.ts'
import { equal, match, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import type { Kit } from '../kit/kit.ts'
import { sendSlowly } from '../kit/raw-call.ts'
import { quarters } from '../media/image.ts'
import { encodePng } from '../media/png.ts'

export const FILE = encodePng(quarters(200, 150))
export const digest = (bytes: Buffer, name = 'sha256') => createHash(name).update(bytes)

export const begin = async (kit: Kit, more: object = {}): Promise<Json> =>
  (await kit.call('POST', '/v1/uploads', { body: { size: FILE.length, ...more } })).body

export const UPLOADS = checksOf([
  {
    title: 'a file sent in one call is a complete upload, with its digest and its detected format',
    rules: ['uploads.object.1', 'uploads.create.1'],
    run: async (kit) => {
      const { status, body } = await kit.call('POST', '/v1/uploads', {
        body: FILE,
        headers: { 'content-type': 'video/mp4' },
      })
      equal(
        [status, body.object, body.status, body.size, body.format],
        [201, 'upload', 'complete', FILE.length, 'PNG'],
        'an upload',
      )
      match(body.id, /^upl_\w+$/, 'id')
      equal([body.source, body.sha256], [`upload:${body.id}`, digest(FILE).digest('hex')], 'source and sha256')
      equal(Date.parse(body.expires_at) - Date.parse(body.created_at), DAY_MS, 'it is kept for 24 h')
      equal((await kit.call('GET', `/v1/uploads/${body.id}`)).body, body, 'the upload, read')
      for (const name of ['received', 'upload_url', 'filename']) ok(!(name in body), `a complete upload has no ${name}`)
      const other = await kit.call('POST', '/v1/uploads', { body: Buffer.from('no file of any kind') })
      equal([other.status, other.body.format], [201, null], 'a file of no known format')
    },
  },
  {
    title: 'an upload with an announced size waits for its file at a signed URL',
    rules: ['uploads.create.2', 'uploads.create.3', 'uploads.put.1'],
    run: async (kit) => {
      const body = await begin(kit, { filename: 'ein bild.png' })
      equal(
        [body.status, body.size, body.received, body.filename],
        ['waiting', FILE.length, 0, 'ein bild.png'],
        'it waits',
      )
      ok(!('sha256' in body) && !('format' in body), 'fields that are known only later', body)
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source: body.source } }),
        422,
        'upload_incomplete',
        'source',
      )
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source: 'upload:upl_none' } }),
        422,
        'upload_not_found',
        'source',
      )
      for (const other of [FILE.subarray(1), Buffer.concat([FILE, FILE])])
        equal((await kit.call('PUT', body.upload_url, { key: null, body: other })).status, 422, 'a PUT of another size')
      const put = await kit.call('PUT', body.upload_url, { key: null, body: FILE })
      equal(
        [put.status, put.body.status, put.body.sha256],
        [200, 'complete', digest(FILE).digest('hex')],
        'the file is put',
      )
      equal(
        (await kit.succeed('images/read', { source: body.source })).result.data.width,
        200,
        'it is used as a source',
      )
      await kit.rejects(kit.call('PUT', body.upload_url, { key: null, body: FILE }), 409, 'upload_offset_mismatch')
      for (const [fields, param] of [
        [{}, 'size'],
        [{ size: 0 }, 'size'],
        [{ size: 5, filename: 'x'.repeat(256) }, 'filename'],
        [{ size: 5, origin: 'a' }, 'origin'],
        [{ size: 5, a: 1 }, 'a'],
      ] as const)
        await kit.rejects(kit.call('POST', '/v1/uploads', { body: fields }), 422, 'validation_failed', param)
      for (const text of ['null', '5', '"size"', '[{"size":5}]'])
        await kit.rejects(kit.call('POST', '/v1/uploads', { body: text }), 422, 'validation_failed')
    },
  },
  {
    title: 'an upload can be used several times, cannot be downloaded, and can be deleted when no open request uses it',
    rules: ['uploads.object.4', 'uploads.object.5', 'uploads.delete.1'],
    run: async (kit) => {
      const { id, upload_url: url, source } = await begin(kit)
      await kit.call('PUT', url, { key: null, body: FILE })
      await Promise.all([1, 2].map(() => kit.succeed('images/read', { source })))
      ok((await kit.call('GET', url, { key: null })).status >= 400, 'an upload cannot be downloaded')
      const gone = await kit.call('DELETE', `/v1/uploads/${id}`)
      equal([gone.status, gone.body], [200, { id, object: 'upload', deleted: true }], 'the deletion')
      await kit.rejects(kit.call('GET', `/v1/uploads/${id}`), 404, 'not_found')
      await kit.rejects(kit.call('DELETE', `/v1/uploads/${id}`), 404, 'not_found')
      await kit.rejects(kit.call('POST', '/v1/images/read', { body: { source } }), 422, 'upload_not_found', 'source')
      await kit.rejects(kit.call('PUT', url, { key: null, body: FILE }), 410, 'upload_expired')
    },
  },
  {
    title: 'an upload that an open request uses is not deleted',
    needs: ['receiver'],
    rules: ['uploads.object.3', 'uploads.delete.1'],
    run: async (kit) => {
      const { body } = await kit.call('POST', '/v1/uploads', { body: FILE })
      const stalled = kit.receiver.open(() => undefined)
      const operations = [{ type: 'watermark', image_url: body.source, x: 0, y: 0 }]
      const { id } = await kit.start('images/process', { source: stalled.url, operations })
      await kit.rejects(kit.call('DELETE', `/v1/uploads/${body.id}`), 409, 'upload_in_use')
      await kit.abort(id)
      equal((await kit.call('DELETE', `/v1/uploads/${body.id}`)).status, 200, 'its deletion after the abort')
    },
  },
  {
    title: 'if the deletion of an upload races with a call that uses it, the upload is deleted or the request succeeds',
    rules: ['uploads.delete.2'],
    run: async (kit) => {
      for (let round = 0; round < 5; round += 1) {
        const source = await kit.upload(FILE)
        const [gone, started] = await Promise.all([
          kit.call('DELETE', `/v1/uploads/${source.slice('upload:'.length)}`),
          kit.call('POST', '/v1/images/read', { body: { source } }),
        ])
        if (started.status === 202) equal((await kit.settled(started.body)).status, 'succeeded', 'an accepted request')
        else {
          equal([started.status, started.body.error.code], [422, 'upload_not_found'], 'a rejected request')
          equal(gone.status, 200, 'the deletion')
        }
      }
    },
  },
  {
    title: 'if an upload is deleted while its body is being sent, the call that sends the body returns 410',
    rules: ['uploads.delete.3'],
    run: async (kit) => {
      const { upload_url: url, id } = await begin(kit)
      const body = sendSlowly(url, { method: 'PUT', length: FILE.length, first: FILE.subarray(0, 100) })
      const path = `/v1/uploads/${id}`
      await new Promise((resolve) => setTimeout(resolve, 300))
      equal((await kit.call('DELETE', path)).status, 200, 'the deletion')
      body.end(FILE.subarray(100))
      equal(await body.status, 410, 'the status of the body')
    },
  },
  {
    title: 'the source_bytes of usage include the size of an upload that a request used as its source',
    rules: ['uploads.object.6'],
    run: async (kit) => {
      const customer = `upload-${randomUUID()}`
      await kit.succeed('images/process', { source: await kit.upload(FILE), customer, operations: [{ type: 'flip' }] })
      const { body } = await kit.call('GET', `/v1/usage?group_by=endpoint&customer=${customer}`)
      equal(body.data[0].source_bytes, FILE.length, 'source_bytes')
    },
  },
  {
    title: 'an upload_url requires its signature, and in browsers works only on pages of its origin',
    rules: ['uploads.url.1', 'uploads.url.2'],
    run: async (kit) => {
      const origin = 'https://app.example.com'
      const { upload_url: url } = await begin(kit, { origin })
      const wrong = url.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
      await kit.rejects(kit.call('PUT', wrong, { key: null, body: FILE }), 403, 'invalid_signature')
      const later = url.replace(/expires=(\d+)/, (_: string, seconds: string) => `expires=${Number(seconds) + 1}`)
      await kit.rejects(kit.call('PUT', later, { key: null, body: FILE }), 403, 'invalid_signature')
      const asked = async (from: string) =>
        (
          await kit.call('OPTIONS', url, {
            key: null,
            headers: { origin: from, 'access-control-request-method': 'PUT' },
          })
        ).headers.get('access-control-allow-origin')
      equal(
        [await asked(origin), await asked('https://evil.example.com')],
        [origin, null],
        'the origins that can use the URL',
      )
      for (const from of ['null', `${origin}.evil.example`]) equal(await asked(from), null, `the origin ${from}`)
      const put = await kit.call('PUT', url, { key: null, body: FILE, headers: { origin } })
      equal([put.status, put.headers.get('access-control-allow-origin')], [200, origin], 'a PUT from this origin')
    },
  },
  {
    title:
      'an upload above max_source_bytes is rejected, and all uploads of an account together have at most ten times this size',
    needs: ['small'],
    rules: ['uploads.size.1', 'uploads.size.2'],
    run: async (kit) => {
      const key = kit.key('small')
      const most: number = (await kit.call('GET', '/v1/account', { key })).body.limits.max_source_bytes
      const announce = (size: number) => kit.call('POST', '/v1/uploads', { key, body: { size } })
      await kit.rejects(announce(most + 1), 422, 'upload_too_large')
      const made: string[] = []
      let rejected = await announce(most)
      for (; rejected.status === 201 && made.length < 11; rejected = await announce(most)) made.push(rejected.body.id)
      ok(made.length <= 10, 'uploads of the largest size that fit into an account', made.length)
      equal(rejected.body?.error?.code, 'upload_too_large', 'one more upload')
      for (const id of made) await kit.call('DELETE', `/v1/uploads/${id}`, { key })
    },
  },
  {
    title: 'an upload with a live key cannot be read or used with a test key',
    needs: ['live', 'test'],
    rules: ['uploads.object.2'],
    run: async (kit) => {
      const source = await kit.image()
      const key = kit.key('test')
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source }, key }),
        422,
        'upload_not_found',
        'source',
      )
      await kit.rejects(kit.call('GET', `/v1/uploads/${source.slice(7)}`, { key }), 404, 'not_found')
    },
  },
])
