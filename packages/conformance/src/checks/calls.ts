import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'

const FLIP = [{ type: 'flip' }]

export const CALLS = checksOf([
  {
    title:
      'a body must be a JSON object in UTF-8 with the right Content-Type, at most 1 MiB, and at most 50 levels deep',
    rules: ['api.body.1', 'api.body.2', 'api.headers.1'],
    run: async (kit) => {
      const source = await kit.image()
      const json = 'application/json'
      const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
        kit.call('POST', '/v1/images/read', { body, headers: { 'content-type': json, ...headers } })
      const rejected = async (body: string, what: string, headers?: Record<string, string>) => {
        const error = await kit.rejects(post(body, headers), 422, 'validation_failed')
        ok(!('param' in error), `${what} is rejected without a param`, error)
      }
      await rejected('{"source": ', 'malformed JSON')
      await rejected('[]', 'a list')
      await rejected('"text"', 'a text')
      await rejected(JSON.stringify({ source }), 'another type', { 'content-type': 'text/plain' })
      await rejected(JSON.stringify({ source }), 'another charset', {
        'content-type': 'application/json; charset=latin1',
      })
      await rejected(JSON.stringify({ source }), 'a Content-Encoding', { 'content-encoding': 'gzip' })
      await rejected(`{"source": ${'['.repeat(60)}${']'.repeat(60)}}`, 'a deep body')
      await rejected(JSON.stringify({ source, customer: 'x'.repeat(1_100_000) }), 'a body over 1 MiB')
      const { status } = await post(JSON.stringify({ source }), { 'content-type': 'application/json; charset=UTF-8' })
      equal(status, 202, 'a body that names UTF-8')
    },
  },
  {
    title:
      'an accepted call returns 202, a queued request, and the path of the request in Location; unknown query parameters are ignored',
    rules: ['requests.create.1', 'api.query.1'],
    run: async (kit) => {
      const body = { source: await kit.image() }
      const { status, headers, body: request } = await kit.call('POST', '/v1/images/read?colour=red', { body })
      equal([status, request.status], [202, 'queued'], 'an accepted call')
      ok(headers.get('location')?.endsWith(`/v1/requests/${request.id}`) === true, 'Location', headers.get('location'))
      await kit.settled(request)
    },
  },
  {
    title:
      'a processing call with an invalid or unknown field is rejected, and the error has the path of the field and a code',
    rules: ['api.body.3', 'operations.list.1', 'operations.list.2', 'limits.fields.1'],
    run: async (kit) => {
      const source = await kit.image()
      const process = (more: object, param: string, code: string) =>
        kit.invalid('images/process', { source, operations: FLIP, ...more }, param, code)
      await kit.invalid('images/process', { operations: FLIP }, 'source', 'required')
      await kit.invalid('images/process', { source }, 'operations', 'required')
      await process({ operations: [] }, 'operations', 'too_short')
      await process({ operations: Array.from({ length: 21 }, () => FLIP[0]) }, 'operations', 'too_long')
      await process({ operations: [{ type: 'melt' }] }, 'operations.0.type', 'unknown_operation')
      await process({ operations: [{ type: 'flip', upwards: true }] }, 'operations.0.upwards', 'unknown_parameter')
      await process({ operations: [{ type: 'resize', width: 0, height: 5 }] }, 'operations.0.width', 'out_of_range')
      await process(
        { operations: [{ type: 'resize', width: 20_001, height: 5 }] },
        'operations.0.width',
        'out_of_range',
      )
      await process({ operations: [{ type: 'resize', width: 1.5, height: 5 }] }, 'operations.0.width', 'invalid_type')
      await process({ operations: [{ type: 'sepia', threshold: '5' }] }, 'operations.0.threshold', 'invalid_type')
      await process({ output: { format: 'bmp' } }, 'output.format', 'invalid_value')
      await process({ output: { quality: 5 } }, 'output.quality', 'unknown_parameter')
      await process({ colour: 1 }, 'colour', 'unknown_parameter')
      await process({ customer: null }, 'customer', 'invalid_type')
      await process({ metadata: { a: 1 } }, 'metadata.a', 'invalid_type')
      await process(
        { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) },
        'metadata',
        'too_long',
      )
      await process({ metadata: { a: 'x'.repeat(501) } }, 'metadata.a', 'too_long')
      await process({ metadata: { ['k'.repeat(41)]: '' } }, `metadata.${'k'.repeat(41)}`, 'too_long')
      const document = { source, operations: FLIP }
      await kit.invalid('documents/process', document, 'operations.0.type', 'not_supported_for_media')
      const most = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}`.padEnd(40, 'k'), 'x'.repeat(500)]))
      const body = { source, operations: Array.from({ length: 20 }, () => FLIP[0]), metadata: most }
      equal((await kit.succeed('images/process', body)).metadata, most, 'metadata at its bounds')
    },
  },
  {
    title: 'an error lists every invalid field in document order, and repeats at most 40 characters of a value',
    rules: ['errors.body.1', 'errors.body.2', 'errors.messages.1'],
    run: async (kit) => {
      const body = {
        source: 5,
        operations: [{ type: 'resize', width: 0 }, { type: 'rezise' }],
        customer: 'x'.repeat(65),
        extra: 1,
      }
      const error = await kit.rejects(
        kit.call('POST', '/v1/images/process', { body }),
        422,
        'validation_failed',
        'source',
      )
      equal(
        error.errors.map(({ param, code }: { param: string; code: string }) => `${param} ${code}`),
        [
          'source invalid_type',
          'operations.0.width out_of_range',
          'operations.0.height required',
          'operations.1.type unknown_operation',
          'customer too_long',
          'extra unknown_parameter',
        ],
        'errors',
      )
      ok(/resize/.test(error.errors[3].message), 'a message suggests the correct value', error.errors[3])
      ok(/20[,.]?000/.test(error.errors[1].message), 'a message has the allowed range', error.errors[1])
      ok(!/x{41}/.test(JSON.stringify(error)), 'no message repeats more than 40 characters', error)
      const long = `https://example.com/${'a'.repeat(2048)}`
      const first = await kit.rejects(
        kit.call('POST', '/v1/images/read', { body: { source: long } }),
        422,
        'url_invalid',
        'source',
      )
      ok(/2[,.]?048/.test(first.message), 'the message names the bound of URLs', first)
    },
  },
  {
    title:
      'a call with several errors returns the error of the first check: key, account, idempotency key, fields, paid tier, credit, then URLs',
    needs: ['free', 'poor', 'suspended'],
    rules: ['api.order.1'],
    run: async (kit) => {
      const post = (path: string, body: unknown, key: string | null, headers: Record<string, string> = {}) =>
        kit.call('POST', `/v1/${path}`, { body, key, headers })
      const bad = { source: 'http://localhost/a', operations: [{ type: 'none' }] }
      await kit.rejects(post('videos/process', '{', 'svc_live_nobody'), 401, 'invalid_api_key')
      await kit.rejects(post('videos/process', '{', kit.key('suspended')), 403, 'account_suspended')
      await kit.rejects(
        post('videos/process', '{', kit.key('free'), { 'idempotency-key': '' }),
        422,
        'validation_failed',
      )
      const early = await kit.rejects(
        post('videos/process', bad, kit.key('free'), { 'idempotency-key': 'k'.repeat(256) }),
        422,
        'validation_failed',
        'Idempotency-Key',
      )
      equal(early.errors.length, 1, 'the key is checked before the fields')
      await kit.rejects(post('videos/process', bad, kit.key('free')), 422, 'validation_failed', 'operations.0.type')
      const blocked = { source: 'http://localhost/a' }
      await kit.rejects(post('videos/read', blocked, kit.key('free')), 402, 'paid_account_required')
      await kit.rejects(post('images/read', { source: 1 }, kit.key('poor')), 422, 'validation_failed', 'source')
      await kit.rejects(post('images/read', blocked, kit.key('poor')), 402, 'insufficient_credits')
      await kit.rejects(post('images/read', blocked, kit.key('free')), 422, 'url_blocked', 'source')
    },
  },
])
