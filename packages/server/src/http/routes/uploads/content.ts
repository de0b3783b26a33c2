import { createHash } from 'node:crypto'
import { ApiError } from '@mediamill/contract/domain/errors'
import { SIGNED_CALLS_PER_MINUTE } from '@mediamill/contract/domain/uploads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { UploadRow } from '../../../db/uploads/uploads.ts'
import { verifyUpload } from '../../../store/link.ts'
import {
  checksumMismatch,
  compressedUpload,
  contentTypeUnsupported,
  emptyUpload,
  offsetMismatch,
  tusVersionUnsupported,
  uploadExpired,
  uploadTooLarge,
} from '../../../uploads/errors.ts'
import type { SignedUpload } from '../../../uploads/find.ts'
import { findSigned } from '../../../uploads/find.ts'
import { presentUpload } from '../../../uploads/present.ts'
import { removeUpload } from '../../../uploads/remove.ts'
import type { ApiContext } from '../../api-context.ts'
import { notFound } from '../../errors.ts'
import { RateLimiter } from '../console/rate-limiter.ts'
import { invalidSignature, proofIn } from '../results.ts'
import type { Receiving } from '../uploads.ts'
import { keepConnection, removeTimeout } from './body-timeout.ts'
import { methodOf, showOrigin, TUS_HEADERS, TUS_VERSION } from './tus-headers.ts'
import { BrokenUpload, readUpload } from './upload-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    upload: SignedUpload
  }
}

const ROUTE = { url: '/v1/uploads/:id/content', config: { hasOwnOrigin: true } } as const

/** Serves the signed URL of an upload without a key. Supports PUT of the whole file, and tus 1.0 (uploads.tus.1). */
export function serveUploadContent(app: FastifyInstance, api: ApiContext, receiving: Receiving): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.decorateRequest('upload')
    const pace = new RateLimiter(SIGNED_CALLS_PER_MINUTE)
    scope.addHook('onRequest', async (call: FastifyRequest<{ Params: { id: string } }>, reply) => {
      const meant = methodOf(call)
      if (meant === undefined) throw call.method === 'POST' ? notFound(call) : overridden()
      call.upload = await authorize(api, call)
      showOrigin(call, reply, call.upload.origin)
      pace.enter(`${call.upload.accountId} ${call.upload.livemode}`)
      reply.headers({ 'tus-resumable': TUS_VERSION, 'upload-expires': call.upload.expiresAt.toUTCString() })
      const version = call.headers['tus-resumable']
      // OPTIONS returns the supported tus versions, so it must accept every version.
      if (meant === 'OPTIONS') return
      if (version === undefined ? meant === 'PATCH' : version !== TUS_VERSION) throw versionRejected(reply)
    })
    const received = new WeakMap<FastifyRequest, UploadRow>()
    scope.addContentTypeParser('*', async (call: FastifyRequest) => {
      removeTimeout(call.raw)
      received.set(call, await receive(call, receiving))
    })
    serveOffsets(scope, receiving)
    scope.route({
      ...ROUTE,
      method: 'PUT',
      handler: async (call) => {
        const row = received.get(call)
        if (row === undefined) throw emptyUpload()
        return presentUpload(row, api.links)
      },
    })
    const patch = async (call: FastifyRequest, reply: FastifyReply) => {
      const row = received.get(call) ?? patchOffset(call)
      return await reply.code(204).headers(offsetOf(row)).send()
    }
    const remove = async ({ upload }: FastifyRequest, reply: FastifyReply) => {
      await removeUpload(api.sql, api.store, upload, upload.id)
      receiving.receiver.endBodies(upload.id)
      return await reply.code(204).send()
    }
    scope.route({ ...ROUTE, method: 'PATCH', handler: patch })
    scope.route({ ...ROUTE, method: 'DELETE', handler: remove })
    scope.route({
      ...ROUTE,
      method: 'POST',
      handler: async (call, reply) => await (methodOf(call) === 'DELETE' ? remove : patch)(call, reply),
    })
  })
}

function serveOffsets(scope: FastifyInstance, receiving: Receiving): void {
  // HEAD is declared, because Fastify's generated HEAD route would send Content-Length: 0.
  scope.route({
    ...ROUTE,
    method: 'HEAD',
    handler: async (call, reply) => {
      const row = await receiving.receiver.finishIfAll(call.upload)
      return await reply.headers({ ...offsetOf(row), 'upload-length': row.size }).send()
    },
  })
  scope.route({
    ...ROUTE,
    method: 'OPTIONS',
    handler: async (call, reply) => {
      return await reply
        .code(204)
        .headers({ ...TUS_HEADERS, 'tus-max-size': call.upload.size })
        .send()
    },
  })
}

async function authorize(api: ApiContext, call: FastifyRequest<{ Params: { id: string } }>): Promise<SignedUpload> {
  const verdict = verifyUpload(api.links.keys, { id: call.params.id, ...proofIn(call) }, new Date())
  if (verdict === 'invalid_signature') throw invalidSignature('upload_url')
  if (verdict === 'expired') throw uploadExpired()
  return await findSigned(api.sql, call.params.id)
}

const offsetOf = (row: UploadRow) => ({ 'upload-offset': row.received })

function versionRejected(reply: FastifyReply): ApiError {
  reply.header('tus-version', TUS_VERSION)
  return tusVersionUnsupported()
}

function patchOffset(call: FastifyRequest): UploadRow {
  const { upload, headers } = call
  if (headers['upload-offset'] !== String(upload.received)) throw offsetMismatch(upload.received)
  return upload
}

async function receive(call: FastifyRequest, receiving: Receiving): Promise<UploadRow> {
  const meant = methodOf(call)
  if (meant !== 'DELETE' && call.headers['content-encoding'] !== undefined) throw compressedUpload()
  if (meant === 'PUT') return await receivePut(call, receiving)
  if (meant === 'PATCH') return await receivePatch(call, receiving)
  keepConnection(call.raw)
  return call.upload
}

async function receivePut({ upload, headers, raw }: FastifyRequest, receiving: Receiving): Promise<UploadRow> {
  const { receiver, pace, onBytes } = receiving
  const declared = headers['content-length'] === undefined ? upload.size : Number(headers['content-length'])
  if (upload.received > 0) throw offsetMismatch(upload.received)
  if (declared > upload.size) throw uploadTooLarge(upload.size)
  if (declared < upload.size) throw shorter(upload.size)
  const read = async function* (signal: AbortSignal) {
    let received = 0
    for await (const chunk of readUpload(raw, { maxBytes: upload.size, pace, onBytes, signal })) {
      received += chunk.length
      yield chunk
    }
    if (received < upload.size) throw shorter(upload.size)
  }
  return await receiver.finishIfAll(await receiver.append(upload, 0, read))
}

/** Receives a chunk. If the chunk is interrupted, keeps the bytes already received, unless the chunk has a checksum. */
async function receivePatch(call: FastifyRequest, { receiver, pace, onBytes }: Receiving): Promise<UploadRow> {
  const { upload, headers, raw } = call
  if (headers['content-type'] !== 'application/offset+octet-stream') throw contentTypeUnsupported()
  const start = patchOffset(call).received
  const maxBytes = upload.size - start
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw uploadTooLarge(upload.size)
  const checksum = checksumOf(headers['upload-checksum'])
  const options = { maxBytes, pace, onBytes, checksum: checksum?.hash }
  let broken: BrokenUpload | undefined
  const read = async function* (signal: AbortSignal) {
    try {
      yield* readUpload(raw, { ...options, signal })
    } catch (error) {
      if (!(error instanceof BrokenUpload) || checksum !== undefined) throw error
      broken = error
    }
    if (checksum !== undefined && checksum.hash.digest('base64') !== checksum.expected) throw checksumMismatch()
  }
  const row = await receiver.append(upload, start, read)
  if (broken !== undefined) throw broken
  return await receiver.finishIfAll(row)
}

const CHECKSUM_ALGORITHMS: ReadonlySet<string> = new Set(['sha1', 'sha256', 'md5'])

function checksumOf(header: string | string[] | undefined) {
  if (header === undefined) return undefined
  const [algorithm = '', expected = ''] = String(header).split(' ')
  if (!CHECKSUM_ALGORITHMS.has(algorithm)) {
    throw new ApiError(
      'validation_failed',
      'Upload-Checksum must be sha1, sha256, or md5, followed by a digest in base64.',
    )
  }
  return { hash: createHash(algorithm), expected }
}

function overridden(): ApiError {
  return new ApiError(
    'validation_failed',
    'Only POST calls can have another method in X-HTTP-Method-Override. Remove the header.',
  )
}

function shorter(size: number): ApiError {
  return new ApiError(
    'validation_failed',
    `The body must have ${size} bytes, the size of the upload. Send the whole file.`,
  )
}
