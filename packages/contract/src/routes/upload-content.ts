import { z } from 'zod'
import { EXAMPLE_UPLOAD, upload } from '../objects/upload.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'

/** The signed URL of an upload: what `upload_url` takes, with no key. */
const URL_OF_CONTENT = {
  path: '/v1/uploads/{id}/content',
  tag: 'Uploads',
  key: false,
  params: z.object({
    id: z.string().meta({ description: 'The id of the upload.', examples: [EXAMPLE_UPLOAD.id] }),
  }),
  query: z.object({
    expires: z.string().meta({ description: 'As in `upload_url`.' }),
    signature: z.string().meta({ description: 'As in `upload_url`.' }),
  }),
} as const satisfies Partial<Route>

/** How every call of a signed URL may be refused. */
const SIGNED = ['invalid_signature', 'upload_expired', 'account_suspended', 'tus_version_unsupported'] as const
const RECEIVING = ['validation_failed', 'upload_too_large', 'upload_offset_mismatch', 'concurrency_limited'] as const

const putUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'putUpload',
  method: 'put',
  summary: 'Send a file to its upload URL',
  description: 'The whole file in one body of exactly the size that was announced: all of it is kept, or nothing.',
  body: { file: 'application/octet-stream' },
  answers: { 200: { description: 'The upload, complete.', schema: upload, example: EXAMPLE_UPLOAD } },
  refusals: [...SIGNED, ...RECEIVING],
})

const patchUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'patchUpload',
  method: 'patch',
  summary: 'Send a piece of a file',
  description:
    'A piece by tus 1.0, from `Upload-Offset` on. What came of one that breaks off is kept, unless it has a checksum. Where PATCH cannot be sent, a POST with `X-HTTP-Method-Override: PATCH` does the same.',
  headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Checksum'],
  body: { file: 'application/offset+octet-stream' },
  answers: {
    204: { description: 'The piece is kept.', headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Expires'] },
  },
  refusals: [...SIGNED, ...RECEIVING, 'content_type_unsupported', 'upload_checksum_mismatch'],
})

const headUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'headUpload',
  method: 'head',
  summary: 'Ask how much of a file has come',
  description: 'Where a resumable upload goes on.',
  answers: {
    200: {
      description: 'How much has come, and how much there is to be.',
      headers: ['Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires'],
    },
  },
  refusals: SIGNED,
})

const endUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'endUpload',
  method: 'delete',
  summary: 'End an upload by its URL',
  description:
    'What came is deleted, and its room is free again. A POST with `X-HTTP-Method-Override: DELETE` does the same.',
  answers: { 204: { description: 'The upload is gone.', headers: ['Tus-Resumable'] } },
  refusals: [...SIGNED, 'not_found', 'upload_in_use'],
})

const describeUpload = defineRoute({
  ...URL_OF_CONTENT,
  operationId: 'describeUpload',
  method: 'options',
  summary: 'Ask what an upload URL speaks',
  description: 'The version and extensions of tus, and what the page of an origin may send.',
  answers: {
    204: {
      description: 'What is spoken.',
      headers: ['Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size', 'Tus-Checksum-Algorithm'],
    },
  },
  refusals: ['invalid_signature', 'upload_expired', 'account_suspended'],
})

/** Every method of the signed URL. */
export const UPLOAD_CONTENT: readonly Route[] = [putUpload, patchUpload, headUpload, endUpload, describeUpload]
