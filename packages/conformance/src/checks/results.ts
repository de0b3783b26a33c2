import { checksOf } from '../kit/check.ts'
import { equal, match, ok } from '../kit/expect.ts'
import type { Kit } from '../kit/kit.ts'

const made = async (kit: Kit) =>
  await kit.succeed('images/process', {
    source: await kit.image(),
    operations: [{ type: 'flip' }],
    output: { format: 'png' },
  })

export const RESULTS = checksOf([
  {
    title: 'a result link redirects anyone with a 302 to the file, which has a type, a name, ranges, and an ETag',
    rules: ['results.links.1', 'results.files.1', 'results.files.2', 'results.files.3', 'results.files.4'],
    run: async (kit) => {
      const request = await made(kit)
      const [{ url, size }] = request.result.files
      // An object store sends CORS headers only if the call has an origin. Browsers send `null` after a redirect to another host.
      const page = { key: null, headers: { origin: 'null' } }
      const redirect = async (method: string) => {
        const { status, headers } = await kit.call(method, url, page)
        const seen = [status, headers.get('cache-control'), headers.get('access-control-allow-origin')]
        equal(seen, [302, 'no-store', '*'], `${method} of a link`)
        return new URL(headers.get('location') ?? '', url).href
      }
      const at = await redirect('GET')
      const file = await kit.call('GET', at, page)
      equal([file.status, file.headers.get('content-type'), file.bytes.length], [200, 'image/png', size], 'the file')
      match(file.headers.get('content-disposition'), /filename/, 'Content-Disposition')
      match(file.headers.get('cache-control'), /^private, max-age=\d+, immutable$/, 'Cache-Control of the file')
      equal(file.headers.get('access-control-allow-origin'), '*', 'Access-Control-Allow-Origin of the file')
      equal(new URL(await redirect('GET')).pathname, new URL(at).pathname, 'the path of the file')
      const etag = file.headers.get('etag') ?? ''
      ok(etag.length > 4, 'ETag', etag)
      const get = (headers: Record<string, string>) => kit.call('GET', at, { key: null, headers })
      const part = await get({ range: 'bytes=1-4' })
      equal([part.status, part.headers.get('content-range')], [206, `bytes 1-4/${size}`], 'a range')
      ok(part.bytes.equals(file.bytes.subarray(1, 5)), 'the bytes of a range')
      equal((await get({ 'if-none-match': etag })).status, 304, 'If-None-Match')
      equal((await get({ 'if-none-match': `"other", ${etag}` })).status, 304, 'If-None-Match with two tags')
      equal((await get({ range: `bytes=${size}-` })).status, 416, 'a range past the end')
      // The link of an object store is valid for one method.
      const head = await kit.call('HEAD', await redirect('HEAD'), page)
      equal(
        [head.status, head.headers.get('content-length'), head.bytes.length],
        [200, String(size), 0],
        'HEAD of the file',
      )
    },
  },
  {
    title: 'a result link without its signature, or with any change, returns 403 invalid_signature',
    rules: ['results.links.2'],
    run: async (kit) => {
      const [one, other] = [await made(kit), await made(kit)]
      const { url } = one.result.files[0]
      const changed = (change: (url: URL) => void) => {
        const copy = new URL(url)
        change(copy)
        return copy.href
      }
      const signature = new URL(url).searchParams.get('signature') ?? ''
      const last = signature.at(-1) === '0' ? '1' : '0'
      for (const wrong of [
        changed(({ searchParams }) => searchParams.delete('signature')),
        changed(({ searchParams }) => searchParams.set('signature', signature.slice(0, -1) + last)),
        changed(({ searchParams }) => searchParams.set('expires', String(Number(searchParams.get('expires')) + 1))),
        changed(({ searchParams }) => searchParams.set('expires', '1')),
        url.replace(`/results/${one.id}`, `/results/${other.id}`),
      ]) {
        await kit.rejects(kit.call('GET', wrong, { key: null }), 403, 'invalid_signature')
      }
    },
  },
  {
    title:
      'deleting the files of a request takes effect at once, keeps the charge, and is rejected while the request is open',
    rules: [
      'requests.delete_files.1',
      'requests.delete_files.2',
      'requests.delete_files.3',
      'requests.delete_files.4',
      'results.links.3',
      'events.list.2',
    ],
    run: async (kit) => {
      const request = await made(kit)
      const { url } = request.result.files[0]
      const at = new URL((await kit.call('GET', url, { key: null })).headers.get('location') ?? '', url).href
      const before = Date.now()
      const { status, body } = await kit.call('DELETE', `/v1/requests/${request.id}/files`)
      equal([status, body.status, body.price], [200, 'succeeded', request.price], 'the request of the deleted files')
      ok(Math.abs(Date.parse(body.result.deleted_at) - before) < 60_000, 'deleted_at is now', body.result)
      await kit.rejects(kit.call('GET', url, { key: null }), 410, 'result_expired')
      ok((await kit.call('GET', at, { key: null })).status >= 400, 'the file itself is gone')
      const again = await kit.call('DELETE', `/v1/requests/${request.id}/files`)
      equal([again.status, again.body], [200, body], 'a second deletion')
      const { data } = (await kit.call('GET', `/v1/events?request_id=${request.id}`)).body
      equal(data[0].data, body, 'the request in its event')
      const read = await kit.succeed('images/read', { source: await kit.image() })
      equal((await kit.call('DELETE', `/v1/requests/${read.id}/files`)).body, read, 'a request without files')
      const open = await kit.open()
      await kit.rejects(kit.call('DELETE', `/v1/requests/${open.id}/files`), 409, 'request_not_finished')
      await kit.abort(open.id)
    },
  },
  {
    title:
      'a result link of the account is a valid source; after its file is deleted, the link is treated as any other URL',
    rules: ['sources.own_results.1'],
    run: async (kit) => {
      const request = await made(kit)
      const { url, size } = request.result.files[0]
      const read = await kit.succeed('images/read', { source: url })
      equal([read.result.data.size, read.result.data.format], [size, 'PNG'], 'size and format from images/read')
      await kit.call('DELETE', `/v1/requests/${request.id}/files`)
      const after = await kit.call('POST', '/v1/images/read', { body: { source: url } })
      if (after.status === 202)
        equal((await kit.settled(after.body)).status, 'failed', 'the status of a request whose source is deleted')
      else equal(after.status, 422, 'the response to a deleted source')
    },
  },
])
