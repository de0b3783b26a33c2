import { z } from 'zod'
import { LIST_LIMIT, MAX_CUSTOMER_LENGTH } from '../domain/limits.ts'
import { REQUEST_STATUSES } from '../domain/request.ts'
import { metadata, text } from '../endpoints/common-fields.ts'
import { imagesProcess } from '../endpoints/images-process.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { spanOf } from '../lib/moment.ts'
import { exampleSucceeded } from '../objects/examples.ts'
import { integerBetween } from '../objects/fields.ts'
import { listOf } from '../objects/list.ts'
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
    limit: integerBetween(1, LIST_LIMIT.maximum, 'Requests per page.').default(LIST_LIMIT.default),
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
