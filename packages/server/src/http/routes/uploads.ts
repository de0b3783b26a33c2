import { ApiError } from '@mediamill/contract/domain/errors'
import { isUploadId, UPLOAD_ROOM } from '@mediamill/contract/domain/uploads'
import { hasOnlyFitTexts, invalidFields } from '@mediamill/contract/endpoints/faults/invalid-fields'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { EXAMPLE_NEW, newUpload } from '@mediamill/contract/objects/upload'
import { createUpload } from '@mediamill/contract/routes/create-upload'
import { deleteUpload } from '@mediamill/contract/routes/delete-upload'
import { getUpload } from '@mediamill/contract/routes/get-upload'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import type { UploadOwner, UploadRow } from '../../db/uploads/uploads.ts'
import type { UploadDesk } from '../../uploads/desk.ts'
import { findUpload } from '../../uploads/find.ts'
import { presentUpload } from '../../uploads/present.ts'
import { brokenUpload, emptyUpload, uploadTooLarge } from '../../uploads/refusals.ts'
import { removeUpload } from '../../uploads/remove.ts'
import type { Door } from '../door.ts'
import { parseJsonBodies } from '../json-body.ts'
import { serveRoute } from '../serve-route.ts'
import { takeOwnTime } from './uploads/own-time.ts'
import type { UploadPace } from './uploads/upload-body.ts'
import { BrokenUpload, readUpload } from './uploads/upload-body.ts'

/** What receiving a body takes besides the call. */
export type Receiving = { desk: UploadDesk; pace: UploadPace; onBytes: (bytes: number) => void }

/** Rulings 17: files of clients, sent with a key. */
export function serveUploads(app: FastifyInstance, door: Door, receiving: Receiving): void {
  app.register(async (scope) => {
    const received = new WeakMap<object, UploadRow>()
    parseJsonBodies(scope)
    // Here and not in the handler: the time that a body takes to arrive is its sender's.
    scope.addContentTypeParser('*', async (call: FastifyRequest) => {
      received.set(call, await receive(call, receiving))
    })
    serveRoute(scope, createUpload, async (call, reply) => {
      const row = received.get(call) ?? (await begin(call.caller, call.body, receiving.desk))
      reply.code(201)
      return presentUpload(row, door.links)
    })
  })

  serveRoute(app, getUpload, async (call) => {
    const row = await findUpload(door.sql, ownerOf(call.caller), call.params['id'] ?? '')
    return presentUpload(await receiving.desk.finishIfAll(row), door.links)
  })

  serveRoute(app, deleteUpload, async (call, reply: FastifyReply) => {
    const id = call.params['id'] ?? ''
    await removeUpload(door.sql, door.store, ownerOf(call.caller), isUploadId(id) ? id : '')
    receiving.desk.endBodies(id)
    reply.log.debug({ account_id: call.caller.account.id }, `${id} deleted`)
    return { id, object: 'upload' as const, deleted: true as const }
  })
}

const ownerOf = ({ account, livemode }: Caller): UploadOwner => ({ accountId: account.id, livemode })

const allowanceOf = ({ limits }: Caller) => ({ roomBytes: UPLOAD_ROOM * limits.maxSourceBytes })

async function receive(call: FastifyRequest, { desk, pace, onBytes }: Receiving): Promise<UploadRow> {
  const { caller, headers, raw } = call
  takeOwnTime(raw)
  const { maxSourceBytes } = caller.limits
  const declared = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (/^multipart\/form-data\b/i.test(headers['content-type'] ?? '')) throw noForm()
  // wall: a compressed upload
  if (headers['content-encoding'] !== undefined) throw compressed()
  // wall: an upload that announces more than its cap
  if (declared !== undefined && declared > maxSourceBytes) throw uploadTooLarge(maxSourceBytes)
  const size = declared ?? maxSourceBytes
  try {
    return await desk.receiveWhole(ownerOf(caller), size, allowanceOf(caller), (summary, signal) =>
      readUpload(raw, { maxBytes: size, pace, onBytes, summary, signal }),
    )
  } catch (error) {
    if (error instanceof BrokenUpload) throw brokenUpload(error.message, error)
    throw error
  }
}

const NEW_UPLOAD = {
  body: newUpload,
  media: 'image',
  name: 'uploads',
  example: { body: EXAMPLE_NEW },
  isBare: true,
} as const

/** A JSON body asks for a URL that the file is sent to. */
async function begin(caller: Caller, body: unknown, desk: UploadDesk): Promise<UploadRow> {
  if (body === undefined) throw emptyUpload()
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('validation_failed', 'The body must be a JSON object, or a file with its own Content-Type.')
  }
  const parsed = newUpload.safeParse(body)
  if (!parsed.success || !hasOnlyFitTexts(body)) {
    throw validationFailed(invalidFields(NEW_UPLOAD, body, parsed.error?.issues ?? []))
  }
  const { size, filename, origin } = parsed.data
  if (size > caller.limits.maxSourceBytes) throw uploadTooLarge(caller.limits.maxSourceBytes)
  const asked = { size, signed: true, filename: filename ?? null, origin: origin ?? null }
  return await desk.begin(ownerOf(caller), asked, allowanceOf(caller))
}

function noForm(): ApiError {
  return new ApiError(
    'validation_failed',
    'Send the file itself as the body, not a form: with curl that is --data-binary @photo.jpg.',
  )
}

function compressed(): ApiError {
  return new ApiError('validation_failed', 'Send the file as it is, without a Content-Encoding header.')
}
