import { z } from 'zod'
import { imagesProcess } from '../endpoints/images-process.ts'
import { exampleAborted } from '../objects/examples.ts'
import { id } from '../objects/fields.ts'
import { mediaRequest } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

export const abortRequest = defineRoute({
  operationId: 'abortRequest',
  method: 'post',
  path: '/v1/requests/{id}/abort',
  tag: 'Requests',
  summary: 'Abort a request',
  description: 'Aborts a request that has not finished. It is not charged. The body is ignored.',
  key: true,
  params: z.object({ id: id('Request identifier.', 48_211) }),
  responses: {
    200: { description: 'The aborted request.', schema: mediaRequest, example: exampleAborted(imagesProcess) },
  },
  rejections: ['request_not_found', 'request_finished'],
})
