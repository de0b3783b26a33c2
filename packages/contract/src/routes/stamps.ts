import { EXAMPLE_NEW_STAMP, EXAMPLE_STAMP, newStamp, stamp } from '../objects/stamp.ts'
import { defineRoute } from '../route.ts'

export const createStamp = defineRoute({
  operationId: 'createStamp',
  method: 'post',
  path: '/v1/stamps',
  tag: 'Uploads',
  summary: 'Make a watermark image',
  description:
    'Draws a text or prepares an image, and returns an upload for the `image_url` of watermark. Free of charge.',
  key: true,
  body: { schema: newStamp, example: EXAMPLE_NEW_STAMP },
  responses: {
    201: {
      description: 'The watermark image. Use its `source` as `image_url`.',
      schema: stamp,
      example: EXAMPLE_STAMP,
    },
  },
  rejections: [
    'validation_failed',
    'url_invalid',
    'url_blocked',
    'url_unresolvable',
    'upload_not_found',
    'upload_incomplete',
    'upload_too_large',
    'concurrency_limited',
  ],
})
