import { deletedUpload, EXAMPLE_DELETED } from '../objects/upload.ts'
import { defineRoute } from '../route.ts'
import { uploadParams } from './get-upload.ts'

export const deleteUpload = defineRoute({
  operationId: 'deleteUpload',
  method: 'delete',
  path: '/v1/uploads/{id}',
  tag: 'Uploads',
  summary: 'Delete an upload',
  description: 'Before its time is over. Not while a request that is queued or processing uses it.',
  key: true,
  params: uploadParams,
  answers: { 200: { description: 'It is gone.', schema: deletedUpload, example: EXAMPLE_DELETED } },
  refusals: ['not_found', 'upload_in_use'],
})
