import { ApiError } from '@mediamill/contract/domain/errors'
import { isUploadId, toOrigin, UPLOAD_QUOTA_FILES } from '@mediamill/contract/domain/uploads'
import { parseBody } from '@mediamill/contract/endpoints/validation'
import { newUpload } from '@mediamill/contract/objects/upload'
import { createUpload, deleteUpload, getUpload, sendUpload } from '@mediamill/contract/routes/uploads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import type { UploadOwner, UploadRow } from '../../db/uploads/uploads.ts'
import { compressedUpload, emptyUpload, uploadTooLarge } from '../../uploads/errors.ts'
import { findUpload } from '../../uploads/find.ts'
import { presentUpload } from '../../uploads/present.ts'
import { removeUpload } from '../../uploads/remove.ts'
import type { UploadReceiver } from '../../uploads/upload-receiver.ts'
import type { ApiContext } from '../api-context.ts'
import { parseJsonBodies } from '../json-body.ts'
import { queryReader } from '../query.ts'
import type { RouteCall } from '../serve-route.ts'
import { serveRoute } from '../serve-route.ts'
import { removeTimeout } from './uploads/body-timeout.ts'
import type { UploadPace } from './uploads/upload-body.ts'
import { readUpload } from './uploads/upload-body.ts'

export type Receiving = { receiver: UploadReceiver; pace: UploadPace; onBytes: (bytes: number) => void }

type UploadCall = RouteCall<typeof createUpload> | RouteCall<typeof sendUpload>

const readQuery = queryReader(createUpload.query)

export function serveUploads(app: FastifyInstance, api: ApiContext, receiving: Receiving): void {
  app.register(async (scope) => {
    const received = new WeakMap<object, UploadRow>()
    parseJsonBodies(scope)
    // A content type parser receives the file, because the call timeout starts after the parser.
    scope.addContentTypeParser('*', async (call: FastifyRequest) => {
      received.set(call, await receive(call, receiving))
    })
    const create = async (call: UploadCall, reply: FastifyReply) => {
      const row = received.get(call) ?? (await begin(call, receiving.receiver))
      reply.code(201)
      return presentUpload(row, api.links)
    }
    serveRoute(scope, createUpload, create)
    serveRoute(scope, sendUpload, create)
  })

  serveRoute(app, getUpload, async (call) => {
    const row = await findUpload(api.sql, ownerOf(call.caller), call.params['id'] ?? '')
    return presentUpload(await receiving.receiver.finishIfAll(row), api.links)
  })

  serveRoute(app, deleteUpload, async (call, reply: FastifyReply) => {
    const id = call.params['id'] ?? ''
    await removeUpload(api.sql, api.store, ownerOf(call.caller), isUploadId(id) ? id : '')
    receiving.receiver.endBodies(id)
    reply.log.debug({ account_id: call.caller.account.id }, `${id} deleted`)
    return { id, object: 'upload' as const, deleted: true as const }
  })
}

const ownerOf = ({ account, livemode }: Caller): UploadOwner => ({ accountId: account.id, livemode })

export const allowanceOf = ({ limits, account, restricted }: Caller) => ({
  quotaBytes: UPLOAD_QUOTA_FILES * limits.maxSourceBytes,
  tier: account.tier,
  hidesUse: restricted?.restrictions.create_only,
})

async function receive(call: FastifyRequest, { receiver, pace, onBytes }: Receiving): Promise<UploadRow> {
  const { caller, headers, raw } = call
  removeTimeout(raw)
  const { maxSourceBytes } = caller.limits
  const declared = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) throw noForm()
  if (/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) throw noUrlEncoded()
  if (headers['content-encoding'] !== undefined) throw compressedUpload()
  if (declared !== undefined && declared > maxSourceBytes) throw uploadTooLarge(maxSourceBytes)
  const { filename = null } = readQuery(call)
  const size = declared ?? maxSourceBytes
  return await receiver.receiveWhole(ownerOf(caller), { size, filename }, allowanceOf(caller), (signal) =>
    readUpload(raw, { maxBytes: size, pace, onBytes, signal }),
  )
}

async function begin(
  { caller, body, query }: Pick<UploadCall, 'caller' | 'body' | 'query'>,
  receiver: UploadReceiver,
): Promise<UploadRow> {
  if (body === undefined) throw emptyUpload()
  const owner = { name: 'uploads', schema: newUpload }
  const { size, filename = query.filename, origin } = parseBody(owner, body, ', or a file with its own Content-Type')
  if (size > caller.limits.maxSourceBytes) throw uploadTooLarge(caller.limits.maxSourceBytes)
  const announced = {
    size,
    filename: filename ?? null,
    origin: origin === undefined ? null : toOrigin(origin),
  }
  return await receiver.begin(ownerOf(caller), announced, allowanceOf(caller))
}

function noForm(): ApiError {
  return new ApiError('validation_failed', 'Send the file itself as the body, not a form. With curl, use -T photo.jpg.')
}

function noUrlEncoded(): ApiError {
  return new ApiError(
    'validation_failed',
    'Content-Type must not be application/x-www-form-urlencoded: curl -d removes line breaks from the file. Send the file with curl -T photo.jpg, or with --data-binary @photo.jpg and the header Content-Type: application/octet-stream.',
  )
}
