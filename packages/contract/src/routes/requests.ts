import { z } from 'zod'
import { LIST_LIMIT, MAX_CUSTOMER_LENGTH, MAX_STREAM_SECONDS } from '../domain/limits.ts'
import { REQUEST_STATUSES } from '../domain/request.ts'
import { metadata, text } from '../endpoints/common-fields.ts'
import { imagesProcess } from '../endpoints/images-process.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { spanOf } from '../lib/moment.ts'
import { exampleAborted, exampleSucceeded } from '../objects/examples.ts'
import { id, integer, listOf } from '../objects/fields.ts'
import { mediaRequest } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

const NAMES = ENDPOINTS.map(({ name }): string => name)

const moment = (description: string) =>
  z
    .string()
    .refine((value) => spanOf(value) !== undefined, {
      error: 'must be a date such as 2026-11-21, or a time such as 2026-11-21T09:30:00Z',
    })
    .optional()
    .meta({ description })

const requestList = listOf('RequestList', mediaRequest, {
  page: 'Requests, newest first.',
  more: 'Whether older requests follow.',
})

const requestParams = z.object({ id: id('Request identifier.', 48_211) })

export const listRequests = defineRoute({
  operationId: 'listRequests',
  method: 'get',
  path: '/v1/requests',
  tag: 'Requests',
  summary: 'List requests',
  description:
    'Lists requests, newest first. For the next page, pass the last id as `before` while `has_more` is true. A request must match all filters.',
  key: true,
  query: z.object({
    limit: integer(1, LIST_LIMIT.maximum, 'Requests per page.').default(LIST_LIMIT.default),
    before: z.int().optional().meta({ description: 'Only requests with a lower id.' }),
    status: z
      .enum(REQUEST_STATUSES, { error: `must be one of ${REQUEST_STATUSES.join(', ')}` })
      .optional()
      .meta({ description: 'Only requests with this status.' }),
    endpoint: z
      .enum(NAMES, { error: `must be one of ${NAMES.join(', ')}` })
      .optional()
      .meta({ description: 'Only requests of this endpoint.' }),
    customer: text(MAX_CUSTOMER_LENGTH)
      .refine((value) => !value.includes('\u0000'), { error: 'must not contain NUL' })
      .optional()
      .meta({ description: 'Only requests of this customer.' }),
    livemode: z
      .boolean({ error: 'must be true or false' })
      .optional()
      .meta({ description: 'Only requests of live keys, or only requests of test keys.' }),
    created_from: moment('Only requests accepted at or after this date in UTC, or time with its zone.'),
    created_to: moment('Only requests accepted at or before this time. A date includes the whole day.'),
    metadata: metadata
      .optional()
      .meta({ description: 'Only requests with this value in `metadata`: `metadata[order]=1977`.' }),
  }),
  responses: {
    200: {
      description: 'A page of requests.',
      schema: requestList,
      example: { object: 'list', data: [exampleSucceeded(imagesProcess)], has_more: false },
    },
  },
  rejections: ['validation_failed'],
})

export const getRequest = defineRoute({
  operationId: 'getRequest',
  method: 'get',
  path: '/v1/requests/{id}',
  tag: 'Requests',
  summary: 'Get a request',
  description:
    'Returns the current state of a request, with its result if it succeeded. Keys of both modes can read all requests of the account. `Prefer: wait=30` delays the response until the request has finished.',
  key: true,
  params: requestParams,
  headers: ['Prefer'],
  responses: {
    200: {
      description: 'The request.',
      schema: mediaRequest,
      example: exampleSucceeded(imagesProcess),
      headers: ['Preference-Applied'],
    },
  },
  rejections: ['request_not_found'],
})

export const streamRequest = defineRoute({
  operationId: 'streamRequest',
  method: 'get',
  path: '/v1/requests/{id}/events',
  tag: 'Requests',
  summary: 'Follow a request',
  description: `Server-sent events: \`request.updated\` with the current request, and again at each change of its status or progress, until it has finished. The stream then closes. It also closes after ${MAX_STREAM_SECONDS / 60} minutes: clients such as \`EventSource\` reconnect with \`Last-Event-ID\`, and nothing is repeated.`,
  key: true,
  params: requestParams,
  headers: ['Last-Event-ID'],
  responses: {
    200: {
      description: 'Events until the request has finished. The `data` of each event is the request.',
      schema: mediaRequest,
      example: `retry: 3000\n\nevent: request.updated\nid: 101\ndata: ${JSON.stringify(exampleSucceeded(imagesProcess))}\n\n`,
      isStream: true,
    },
    204: { description: 'The client has received the final event, as `Last-Event-ID` shows: do not reconnect.' },
  },
  rejections: ['request_not_found'],
})

export const abortRequest = defineRoute({
  operationId: 'abortRequest',
  method: 'post',
  path: '/v1/requests/{id}/abort',
  tag: 'Requests',
  summary: 'Abort a request',
  description: 'Aborts a request that has not finished. It is not charged. The body is ignored.',
  key: true,
  params: requestParams,
  responses: {
    200: { description: 'The aborted request.', schema: mediaRequest, example: exampleAborted(imagesProcess) },
  },
  rejections: ['request_not_found', 'request_finished'],
})

export const deleteFiles = defineRoute({
  operationId: 'deleteFiles',
  method: 'delete',
  path: '/v1/requests/{id}/files',
  tag: 'Requests',
  summary: 'Delete the files',
  description:
    'Deletes the files of a finished request. Its links then return 410. The record and its charge stay. The body is ignored.',
  key: true,
  params: requestParams,
  responses: {
    200: {
      description: 'The request. `result.deleted_at` is the time of deletion.',
      schema: mediaRequest,
      example: exampleSucceeded(imagesProcess),
    },
  },
  rejections: ['request_not_found', 'request_not_finished'],
})

const OPEN_HEADERS = ['Cache-Control', 'Cross-Origin-Resource-Policy', 'Access-Control-Allow-Origin'] as const
const FILE_HEADERS = [...OPEN_HEADERS, 'ETag', 'Accept-Ranges', 'Content-Disposition'] as const

export const downloadResult = defineRoute({
  operationId: 'downloadResult',
  method: 'get',
  path: '/v1/results/{id}',
  tag: 'Requests',
  summary: 'Download a result',
  description: 'The link in `result.files[].url`. It needs no key, because its signature authorizes it.',
  key: false,
  params: requestParams,
  query: z.object({
    file: z
      .string()
      .optional()
      .meta({ description: 'Name of the output, as in the link. Only for requests with `outputs`.' }),
    expires: z.string().meta({ description: 'From the link.' }),
    key: z.string().optional().meta({ description: 'From the link.' }),
    signature: z.string().meta({ description: 'From the link.' }),
  }),
  responses: {
    200: { description: 'The file, for clients that follow the redirect.', isFile: true, headers: FILE_HEADERS },
    206: { description: 'The bytes of `Range`.', isFile: true, headers: [...FILE_HEADERS, 'Content-Range'] },
    302: {
      description: 'The file is at the URL in `Location`.',
      headers: ['Location', ...OPEN_HEADERS],
    },
    304: { description: 'The file has the `ETag` of `If-None-Match`.', headers: FILE_HEADERS },
  },
  rejections: ['invalid_signature', 'range_not_satisfiable', 'result_expired'],
})
