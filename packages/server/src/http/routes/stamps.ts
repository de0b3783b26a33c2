import { ApiError } from '@mediamill/contract/domain/errors'
import { WAIT_SECONDS } from '@mediamill/contract/domain/limits'
import type { Stamp } from '@mediamill/contract/domain/rendering/stamp'
import { UPLOAD_QUOTA_FILES } from '@mediamill/contract/domain/uploads'
import { parseBody, validationFailed } from '@mediamill/contract/endpoints/validation'
import { quoteValue } from '@mediamill/contract/lib/format-text'
import { imageStamp, textStamp } from '@mediamill/contract/objects/stamp'
import { createStamp } from '@mediamill/contract/routes/stamps'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Caller } from '../../accounts/authenticate.ts'
import { findUpload } from '../../uploads/find.ts'
import { presentUpload } from '../../uploads/present.ts'
import { removeUpload } from '../../uploads/remove.ts'
import { stampError, stampNotDrawn, tooManyStamps } from '../../uploads/stamps/errors.ts'
import type { ApiContext } from '../api-context.ts'
import type { LongPolls } from '../long-polls.ts'
import { serveRoute } from '../serve-route.ts'
import { sourceChecker, urlsRejected } from './check-sources.ts'

/** Serves text watermarks. A call waits until a worker has drawn the image (stamps.create.2). */
export function serveStamps(app: FastifyInstance, api: ApiContext, longPolls: LongPolls): void {
  serveRoute(app, createStamp, async (call, reply) => {
    const { caller } = call
    const stamp = validStamp(call.body)
    if (stamp.type === 'image') await checkSource(api, caller, stamp.source)
    const shape = await make(api, longPolls, { caller, reply }, stamp)
    reply.code(201)
    return shape
  })
}

async function make(
  api: ApiContext,
  longPolls: LongPolls,
  call: { caller: Caller; reply: FastifyReply },
  stamp: Stamp,
) {
  const { account, livemode, limits } = call.caller
  const owner = { accountId: account.id, livemode }
  const seconds = WAIT_SECONDS.maximum
  const bounds = { quotaBytes: UPLOAD_QUOTA_FILES * limits.maxSourceBytes, sourceBytes: limits.maxSourceBytes }
  const id = await api.stamps.order({ ...owner, stamp, ...bounds, waitMs: seconds * 1_000 })
  const end = await longPolls.hold(call, seconds, (signal) => api.stamps.end(id, signal))
  if (end === undefined) {
    if (call.reply.isLongCall) throw stampNotDrawn()
    // No slot for long polls is free, so cancel the drawing.
    await api.stamps.end(id, AbortSignal.abort())
    throw tooManyStamps()
  }
  const { uploadId } = end
  if (call.reply.raw.destroyed && uploadId !== null)
    await removeUpload(api.sql, api.store, owner, uploadId).catch(() => undefined)
  if (end.outcome.status !== 'drawn') throw stampError(stamp, end.outcome)
  const { width, height } = end.outcome
  const shown = presentUpload(await findUpload(api.sql, owner, uploadId ?? ''), api.links)
  if (shown.status !== 'complete') throw new RangeError('the upload of a text watermark is not complete')
  return { ...shown, width, height }
}

const SCHEMAS = { text: textStamp, image: imageStamp }

function validStamp(body: unknown): Stamp {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ApiError('validation_failed', 'The body must be a JSON object.')
  }
  const type = 'type' in body ? body.type : undefined
  if (type !== 'text' && type !== 'image') throw typeUnknown(type)
  return parseBody({ name: 'stamps', schema: SCHEMAS[type] }, body)
}

function typeUnknown(type: unknown): ApiError {
  const param = 'type'
  if (type === undefined) {
    return validationFailed([{ param, code: 'required', message: 'type is required: one of text, image.' }])
  }
  const code = typeof type === 'string' ? 'invalid_value' : 'invalid_type'
  return validationFailed([{ param, code, message: `type must be one of text, image (got ${quoteValue(type)}).` }])
}

async function checkSource(api: ApiContext, caller: Caller, source: string): Promise<void> {
  const verdict = await (await sourceChecker(api, caller, [source]))(source)
  if (!verdict.ok) throw urlsRejected([{ param: 'source', code: verdict.code, message: verdict.message }])
}
