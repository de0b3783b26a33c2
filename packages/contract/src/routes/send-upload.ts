import { z } from 'zod'
import { EXAMPLE_UPLOAD, upload, uploadFilename } from '../objects/upload.ts'
import { defineRoute } from '../route.ts'

export const sendUpload = defineRoute({
  operationId: 'sendUpload',
  method: 'put',
  path: '/v1/uploads',
  tag: 'Uploads',
  summary: 'Upload a file with PUT',
  description:
    'The body is the file itself, as `curl -T photo.jpg` sends it. The response is the same as for `POST /v1/uploads`.',
  key: true,
  query: z.object({ filename: uploadFilename }),
  body: { file: 'application/octet-stream' },
  responses: {
    201: { description: 'The upload. Use its `source` in requests.', schema: upload, example: EXAMPLE_UPLOAD },
  },
  rejections: ['validation_failed', 'upload_too_large', 'concurrency_limited'],
})
