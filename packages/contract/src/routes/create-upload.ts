import { EXAMPLE_NEW, EXAMPLE_UPLOAD, newUpload, upload } from '../objects/upload.ts'
import { defineRoute } from '../route.ts'

export const createUpload = defineRoute({
  operationId: 'createUpload',
  method: 'post',
  path: '/v1/uploads',
  tag: 'Uploads',
  summary: 'Upload a file',
  description:
    'The body is the file itself, with any Content-Type but JSON. With a JSON body it answers a signed URL to send the file to instead, from a browser or in pieces.',
  key: true,
  body: { schema: newUpload, example: EXAMPLE_NEW, file: true },
  answers: {
    201: { description: 'The upload: its `source` is what requests take.', schema: upload, example: EXAMPLE_UPLOAD },
  },
  refusals: ['validation_failed', 'upload_too_large', 'concurrency_limited'],
})
