import { randomUUID } from 'node:crypto'
import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'

export const REQUESTS = checksOf([
  {
    title: 'an abort of a finished request returns 409, and does not change the request',
    rules: ['requests.states.2', 'requests.abort.4'],
    run: async (kit) => {
      const ended = await kit.succeed('images/read', { source: await kit.image() })
      await kit.rejects(kit.abort(ended.id), 409, 'request_finished')
      const { body } = await kit.call('GET', `/v1/requests/${ended.id}`)
      equal(body, ended, 'a final request')
    },
  },
  {
    title: 'an abort ends an open request at once, free of charge, and releases its hold',
    rules: ['requests.abort.1', 'requests.abort.3'],
    alone: true,
    run: async (kit) => {
      const before = (await kit.call('GET', '/v1/account')).body.held.micro_usd
      const request = await kit.open()
      const during = (await kit.call('GET', '/v1/account')).body.held.micro_usd
      if (request.livemode) ok(during > before, 'an accepted call holds its price', { before, during })
      const responses = await Promise.all(Array.from({ length: 3 }, () => kit.abort(request.id, { body: '{"a": 1' })))
      equal(
        responses.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 409, 409],
        'three aborts at once',
      )
      const won: Json = responses.find(({ status }) => status === 200)?.body
      equal([won.status, won.price.micro_usd], ['aborted', 0], 'the aborted request')
      equal(
        (await kit.call('GET', '/v1/account')).body.held.micro_usd,
        before,
        'held credit after the response to the abort',
      )
      equal((await kit.call('GET', `/v1/requests/${request.id}`)).body, won, 'the request later')
    },
  },
  {
    title: 'a request whose source is not a supported image fails free of charge, and has a request.failed event',
    rules: ['requests.states.3', 'sources.formats.2', 'sources.formats.3'],
    run: async (kit) => {
      const text = await kit.upload(Buffer.from('This text is not an image.'))
      const failed = await kit.fail('images/read', { source: text }, 'unsupported_media')
      const { body } = await kit.call('GET', `/v1/events?request_id=${failed.id}`)
      equal(
        body.data.map(({ type, data }: Json) => [type, data.error.code]),
        [['request.failed', 'unsupported_media']],
        'its event',
      )
      const svg = await kit.upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'))
      await kit.fail('images/process', { source: svg, operations: [{ type: 'flip' }] }, 'unsupported_media')
    },
  },
  {
    title: 'the list of requests is newest first, and its pages have no gaps and no repeats',
    rules: ['requests.list.1', 'api.lists.2'],
    run: async (kit) => {
      const source = await kit.image()
      const customer = `list-${randomUUID()}`
      const made: number[] = []
      for (let count = 0; count < 5; count += 1) made.push((await kit.succeed('images/read', { source, customer })).id)
      const list = async (query: string) => (await kit.call('GET', `/v1/requests?customer=${customer}&${query}`)).body
      const ids = (page: Json) => page.data.map(({ id }: Json) => id)
      const whole = await list('limit=100')
      equal([ids(whole), whole.has_more], [made.toReversed(), false], 'the whole list')
      const [first, last] = [await list('limit=2'), await list(`limit=100&before=${made[1]}`)]
      equal([ids(first), first.has_more], [[made[4], made[3]], true], 'its first page')
      const second = await list(`limit=2&before=${made[3]}`)
      equal([ids(second), second.has_more], [[made[2], made[1]], true], 'its second page')
      equal([ids(last), last.has_more], [[made[0]], false], 'its last page')
      equal(ids(await list('limit=5')).length, 5, 'a page that is exactly full')
      equal((await list('limit=5')).has_more, false, 'has_more of a page that is just full')
      for (const limit of ['0', '101', '-1', 'x', '', '1.5', '1e1', 'null']) {
        await kit.rejects(kit.call('GET', `/v1/requests?limit=${limit}`), 422, 'validation_failed', 'limit')
      }
      await kit.rejects(kit.call('GET', '/v1/requests?before=x'), 422, 'validation_failed', 'before')
      const { error } = (await kit.call('GET', '/v1/requests?limit=0&before=x')).body
      equal(
        error.errors.map(({ param, code }: Json) => `${param} ${code}`),
        ['limit out_of_range', 'before invalid_type'],
        'the errors of two wrong parameters',
      )
    },
  },
  {
    title:
      'the list of requests contains only requests that match all filters of the call, and an invalid filter value is reported',
    rules: ['requests.list.2', 'requests.list.3', 'requests.list.4'],
    run: async (kit) => {
      const customer = `filter-${randomUUID()}`
      const source = await kit.image()
      const read = await kit.succeed('images/read', { source, customer, metadata: { order: '1' } })
      const made = await kit.succeed('images/process', {
        source,
        customer,
        operations: [{ type: 'flip' }],
        metadata: { order: '2' },
      })
      const bad = await kit.finish('documents/read', { source, customer })
      const ids = async (query: string) =>
        (await kit.call('GET', `/v1/requests?customer=${customer}&${query}`)).body.data.map(({ id }: Json) => id)
      equal(await ids('status=failed'), [bad.id], 'status')
      equal(await ids('endpoint=images/read'), [read.id], 'endpoint')
      equal(await ids('endpoint=images/process&status=failed'), [], 'two filters')
      equal(await ids('metadata[order]=2'), [made.id], 'metadata')
      equal(await ids(`livemode=${String(!read.livemode)}`), [], 'the other mode')
      equal((await ids(`livemode=${String(read.livemode)}`)).length, 3, 'the mode')
      const exactly = `created_from=${made.created_at}&created_to=${made.created_at}`
      ok((await ids(exactly)).includes(made.id), 'both ends of a range count')
      const day = String(made.created_at).slice(0, 10)
      ok((await ids(`created_from=${day}&created_to=${day}`)).includes(made.id), 'a date is its whole day')
      equal(await ids('created_from=2999-01-01'), [], 'a range in the future')
      for (const [name, value] of [
        ['status', 'done'],
        ['endpoint', 'images/melt'],
        ['livemode', 'yes'],
        ['created_from', 'monday'],
      ]) {
        await kit.rejects(kit.call('GET', `/v1/requests?${name}=${value}`), 422, 'validation_failed', name)
      }
    },
  },
  {
    title: 'GET returns a request by its id, and an unknown id returns 404',
    rules: ['auth.scope.2'],
    run: async (kit) => {
      const ended = await kit.succeed('images/read', { source: await kit.image() })
      equal((await kit.call('GET', `/v1/requests/${ended.id}`)).body, ended, 'a request that is read')
      for (const id of ['999999999999', 'abc', '1.5', '-1']) {
        await kit.rejects(kit.call('GET', `/v1/requests/${id}`), 404, 'request_not_found')
        await kit.rejects(kit.call('POST', `/v1/requests/${id}/abort`), 404, 'request_not_found')
        await kit.rejects(kit.call('DELETE', `/v1/requests/${id}/files`), 404, 'request_not_found')
      }
    },
  },
  {
    title: "another account's request returns 404, is in no list, and cannot be aborted or deleted",
    needs: ['other'],
    rules: ['auth.scope.2'],
    run: async (kit) => {
      const body = { source: await kit.image(), operations: [{ type: 'flip' }] }
      const { id, result } = await kit.succeed('images/process', body)
      const key = kit.key('other')
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/abort'],
        ['DELETE', '/files'],
        ['GET', '/events'],
      ] as const) {
        await kit.rejects(kit.call(method, `/v1/requests/${id}${path}`, { key }), 404, 'request_not_found')
      }
      equal((await kit.call('GET', result.files[0].url, { key: null })).status, 302, 'its file after these calls')
      const { body: page } = await kit.call('GET', '/v1/requests?limit=100', { key })
      ok(!page.data.some((one: Json) => one.id === id), 'the list of another account does not contain the request')
      equal((await kit.call('GET', `/v1/events?request_id=${id}`, { key })).body.data, [], 'its events')
      const errorOf = async (path: string) => ({ ...(await kit.call('GET', path, { key })).body.error, request_id: '' })
      const unknown = await errorOf('/v1/requests/999999999999')
      equal(await errorOf(`/v1/requests/${id}`), unknown, 'the error, which is the error for an unknown id')
      const [event] = (await kit.call('GET', `/v1/events?request_id=${id}`)).body.data
      const wrong = await errorOf('/v1/events?after=evt_5d41402abc4b2a76b9719d911017c592')
      equal(await errorOf(`/v1/events?after=${event.id}`), wrong, 'the error for its event as a cursor')
      equal([wrong.code, wrong.param], ['validation_failed', 'after'], 'the error for an unknown cursor')
      const source = await kit.image()
      await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source }, key }),
        422,
        'upload_not_found',
        'source',
      )
      for (const method of ['GET', 'DELETE'])
        await kit.rejects(kit.call(method, `/v1/uploads/${source.slice(7)}`, { key }), 404, 'not_found')
    },
  },
  {
    title: 'any key of the account can read, list, and abort requests of both modes, live and test',
    needs: ['live', 'test'],
    rules: ['auth.scope.1'],
    run: async (kit) => {
      const key = kit.key('test')
      const made = await kit.succeed('images/read', { source: await kit.image() })
      equal((await kit.call('GET', `/v1/requests/${made.id}`, { key })).body.id, made.id, 'read by the other key')
      const opened = await kit.open()
      equal((await kit.abort(opened.id, { key })).body.status, 'aborted', 'aborted by the other key')
    },
  },
])
