import { deletedUpload, EXAMPLE_DELETED } from '../objects/upload.ts'
import { defineRoute } from '../route.ts'
import { uploadParams } from './get-upload.ts'

export const deleteUpload = defineRoute({
  operationId: 'deleteUpload',
  method: 'delete',
  path: '/v1/uploads/{id}',
  tag: 'Uploads',
  summary: 'Delete an upload',
  description:
    'Deletes an upload before it expires. Returns 409 `upload_in_use` while a queued or processing request uses it.',
  key: true,
  params: uploadParams,
  responses: { 200: { description: 'The upload is deleted.', schema: deletedUpload, example: EXAMPLE_DELETED } },
  rejections: ['not_found', 'upload_in_use'],
})
