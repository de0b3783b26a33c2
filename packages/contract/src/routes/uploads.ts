import { z } from 'zod'
import {
  deletedUpload,
  EXAMPLE_DELETED,
  EXAMPLE_NEW,
  EXAMPLE_UPLOAD,
  newUpload,
  upload,
  uploadFilename,
} from '../objects/upload.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'

const uploadParams = z.object({
  id: z.string().meta({ description: 'Upload identifier.', examples: [EXAMPLE_UPLOAD.id] }),
})

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

const URL_OF_CONTENT = {
  path: '/v1/uploads/{id}/content',
  tag: 'Uploads',
  key: false,
  params: uploadParams,
  query: z.object({
    expires: z.string().meta({ description: 'From `upload_url`.' }),
    key: z.string().optional().meta({ description: 'From `upload_url`.' }),
    signature: z.string().meta({ description: 'From `upload_url`.' }),
  }),
} as const satisfies Partial<Route>

const SIGNED = ['invalid_signature', 'upload_expired', 'account_suspended', 'tus_version_unsupported'] as const
const RECEIVING = ['validation_failed', 'upload_too_large', 'upload_offset_mismatch', 'concurrency_limited'] as const

const putUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'putUpload',
  method: 'put',
  summary: 'Send a file to its upload URL',
  description: 'The whole file in one body of exactly the declared size. An incomplete body is discarded.',
  body: { file: 'application/octet-stream' },
  responses: {
    200: {
      description: 'The upload, complete.',
      schema: upload,
      example: EXAMPLE_UPLOAD,
      headers: ['Tus-Resumable', 'Upload-Expires'],
    },
  },
  rejections: [...SIGNED, ...RECEIVING],
})

const patchUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'patchUpload',
  method: 'patch',
  summary: 'Send a chunk of a file',
  description:
    'A chunk by tus 1.0, starting at `Upload-Offset`. If a chunk is interrupted, the bytes already received are kept, unless it has a checksum. Clients that cannot send PATCH use a POST with `X-HTTP-Method-Override: PATCH`.',
  headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Checksum'],
  body: { file: 'application/offset+octet-stream' },
  responses: {
    204: { description: 'The chunk is stored.', headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires'] },
  },
  rejections: [...SIGNED, ...RECEIVING, 'content_type_unsupported', 'upload_checksum_mismatch'],
})

const headUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'headUpload',
  method: 'head',
  summary: 'Get the upload offset',
  description: 'Returns the offset at which a resumable upload continues.',
  responses: {
    200: {
      description: 'The number of bytes received, and the total size.',
      headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires'],
    },
  },
  rejections: SIGNED,
})

const endUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'endUpload',
  method: 'delete',
  summary: 'Cancel an upload by its URL',
  description:
    'Deletes the received bytes and releases their quota. Clients that cannot send DELETE use a POST with `X-HTTP-Method-Override: DELETE`.',
  responses: { 204: { description: 'The upload is deleted.', headers: ['Tus-Resumable'] } },
  rejections: [...SIGNED, 'not_found', 'upload_in_use'],
})

const describeUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'describeUpload',
  method: 'options',
  summary: 'Get tus capabilities',
  description: 'Returns the supported tus version and extensions, and the headers that a web page may send.',
  responses: {
    204: {
      description: 'Supported tus version and extensions.',
      headers: ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size', 'Tus-Checksum-Algorithm'],
    },
  },
  rejections: ['invalid_signature', 'upload_expired', 'account_suspended'],
})

export const UPLOAD_CONTENT: readonly Route[] = [putUpload, patchUpload, headUpload, endUpload, describeUpload]
