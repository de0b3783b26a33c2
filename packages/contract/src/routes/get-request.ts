import { z } from 'zod'
import { imagesProcess } from '../endpoints/images-process.ts'
import { exampleSucceeded } from '../objects/examples.ts'
import { id } from '../objects/fields.ts'
import { mediaRequest } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

export const getRequest = defineRoute({
  operationId: 'getRequest',
  method: 'get',
  path: '/v1/requests/{id}',
  tag: 'Requests',
  summary: 'Get a request',
  description:
    'Returns the current state of a request, with its result if it succeeded. Keys of both modes can read all requests of the account. `Prefer: wait=30` delays the response until the request has finished.',
  key: true,
  readsRequest: true,
  params: z.object({ id: id('Request identifier.', 48_211) }),
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
