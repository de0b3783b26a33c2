import type { CallResponse } from './call-response.ts'
import { equal, match, ok } from './expect.ts'
import type { Json } from './json.ts'
import { checkRequest } from './request-shape.ts'

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication',
  402: 'payment_required',
  403: 'permission',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  412: 'precondition_failed',
  415: 'invalid_request',
  416: 'invalid_request',
  422: 'invalid_request',
  429: 'rate_limited',
  460: 'invalid_request',
  500: 'server_error',
  503: 'server_error',
}

/** The fields that contain names of the client's choice. These names are not checked. */
const FREE_NAMES = new Set(['metadata', 'headers', 'operations', 'data'])

export function checkResponse(what: string, response: CallResponse, hasKey: boolean): void {
  const { status, headers, body } = response
  match(headers.get('request-id'), /^req_\w+$/, `api.headers.1: the header Request-Id of ${what}`)
  if (status >= 400) {
    if (body !== undefined) checkRejection(what, response)
    else ok(what.startsWith('HEAD '), `errors.body.1: ${what} was rejected with ${status} and no body`)
  }
  if (hasKey && status !== 401 && !/\/(?:results|openapi)/.test(what)) {
    for (const name of [
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ])
      ok(
        headers.has(name) || what.includes('/content'),
        `limits.rate.2: the response to ${what} lacks the header ${name}`,
      )
  }
  if (body !== undefined && !what.includes('openapi')) checkNames(what, body)
  for (const request of requestsIn(body)) checkRequest(what, request)
}

function checkRejection(what: string, { status, headers, body }: CallResponse): void {
  const error: Json = body?.error
  ok(typeof error === 'object' && error !== null, `errors.body.1: ${what} was rejected without an error`, body)
  equal(error.type, TYPES[status], `errors.body.1: the type of ${what}, rejected with ${status}`)
  match(error.code, /^[a-z_]+$/, `errors.body.1: the code of ${what}`)
  ok(typeof error.message === 'string' && error.message.length > 10, `errors.body.1: ${what} needs a message`, error)
  equal(error.request_id, headers.get('request-id'), `errors.body.1: request_id of ${what}, compared with its header`)
  ok(String(error.doc_url).endsWith(`/docs/errors#${error.code}`), `errors.body.1: doc_url of ${what}`, error.doc_url)
  if (status === 429) match(headers.get('retry-after'), /^[1-9]\d*$/, `errors.body.1: Retry-After of ${what}`)
  if (Array.isArray(error.errors) && error.errors.length > 0) {
    equal(
      [error.param, error.message],
      [error.errors[0].param, error.errors[0].message],
      `errors.body.1: param and message of ${what}`,
    )
  }
}

/** Checks that names are snake_case, and that times are in UTC with milliseconds (api.json.1). */
function checkNames(what: string, value: Json): void {
  if (Array.isArray(value)) for (const one of value) checkNames(what, one)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries<Json>(value)) {
      match(name, /^[a-z][a-z0-9_]*$/, `api.json.1: a name in the JSON of ${what}`)
      if (name.endsWith('_at') && inner !== null) {
        match(inner, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, `api.json.1: ${name} of ${what}`)
      }
      if (!FREE_NAMES.has(name) || Array.isArray(inner)) checkNames(what, inner)
    }
  }
}

function requestsIn(body: Json): Json[] {
  if (body?.object === 'request') return [body]
  if (body?.object === 'event') return requestsIn(body.data)
  return body?.object === 'list' && Array.isArray(body.data) ? body.data.flatMap(requestsIn) : []
}
