import { z } from 'zod'
import { LIST_LIMIT } from '../../domain/limits.ts'
import { imagesProcess } from '../../endpoints/images-process.ts'
import { exampleSucceeded } from '../examples.ts'
import { integerBetween } from '../fields.ts'
import { listOf } from '../list.ts'
import { mediaRequest } from '../request.ts'
import { defineRoute } from '../route.ts'

const requestList = listOf('RequestList', mediaRequest, {
  page: 'Requests, the newest first.',
  more: 'Whether older requests follow.',
})

export const listRequests = defineRoute({
  operationId: 'listRequests',
  method: 'get',
  path: '/v1/requests',
  tag: 'Requests',
  summary: 'List requests',
  description: 'The newest first. Pass the last id of a page as `before` for the next one, while `has_more` is true.',
  key: true,
  query: z.object({
    limit: integerBetween(1, LIST_LIMIT.maximum, 'Requests on a page.').default(LIST_LIMIT.default),
    before: z.int().optional().meta({ description: 'Only requests with an id lower than this.' }),
  }),
  answers: {
    200: {
      description: 'A page of requests.',
      schema: requestList,
      example: { object: 'list', data: [exampleSucceeded(imagesProcess)], has_more: false },
    },
  },
  refusals: ['validation_failed'],
})
