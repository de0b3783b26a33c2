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
    'As it is now; with its result once it succeeded. Requests of both modes are read with either key. `Prefer: wait=30` holds the answer until it has ended.',
  key: true,
  readsRequest: true,
  params: z.object({ id: id('The id of the request.', 48_211) }),
  headers: ['Prefer'],
  answers: {
    200: {
      description: 'The request.',
      schema: mediaRequest,
      example: exampleSucceeded(imagesProcess),
      headers: ['Preference-Applied'],
    },
  },
  refusals: ['request_not_found'],
})
