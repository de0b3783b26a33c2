import { z } from 'zod'
import { imagesProcess } from '../endpoints/images-process.ts'
import { exampleSucceeded } from '../objects/examples.ts'
import { id } from '../objects/fields.ts'
import { mediaRequest } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

export const deleteFiles = defineRoute({
  operationId: 'deleteFiles',
  method: 'delete',
  path: '/v1/requests/{id}/files',
  tag: 'Requests',
  summary: 'Delete the files',
  description:
    'Deletes the files of a finished request. Its links then return 410. The record and its charge stay. The body is ignored.',
  key: true,
  params: z.object({ id: id('Request identifier.', 48_211) }),
  responses: {
    200: {
      description: 'The request. `result.deleted_at` is the time of deletion.',
      schema: mediaRequest,
      example: exampleSucceeded(imagesProcess),
    },
  },
  rejections: ['request_not_found', 'request_not_finished'],
})
