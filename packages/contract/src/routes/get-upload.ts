import { z } from 'zod'
import { EXAMPLE_UPLOAD, upload } from '../objects/upload.ts'
import { defineRoute } from '../route.ts'

export const uploadParams = z.object({
  id: z.string().meta({ description: 'Upload identifier.', examples: [EXAMPLE_UPLOAD.id] }),
})

export const getUpload = defineRoute({
  operationId: 'getUpload',
  method: 'get',
  path: '/v1/uploads/{id}',
  tag: 'Uploads',
  summary: 'Get an upload',
  description: 'Returns the state of an upload. The file itself cannot be downloaded.',
  key: true,
  params: uploadParams,
  responses: { 200: { description: 'The upload.', schema: upload, example: EXAMPLE_UPLOAD } },
  rejections: ['not_found'],
})
