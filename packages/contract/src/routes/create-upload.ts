import { z } from 'zod'
import { EXAMPLE_NEW, EXAMPLE_UPLOAD, newUpload, upload, uploadFilename } from '../objects/upload.ts'
import { defineRoute } from '../route.ts'

export const createUpload = defineRoute({
  operationId: 'createUpload',
  method: 'post',
  path: '/v1/uploads',
  tag: 'Uploads',
  summary: 'Upload a file',
  description:
    'The body is the file itself, with any Content-Type except JSON. With a JSON body, the call returns a signed URL instead, for uploads from a browser or in chunks.',
  key: true,
  query: z.object({ filename: uploadFilename }),
  body: { schema: newUpload, example: EXAMPLE_NEW, file: true },
  responses: {
    201: { description: 'The upload. Use its `source` in requests.', schema: upload, example: EXAMPLE_UPLOAD },
  },
  rejections: ['validation_failed', 'upload_too_large', 'concurrency_limited'],
})
