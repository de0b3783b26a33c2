import { ApiError } from '@mediamill/contract/domain/errors'
import { MAX_BODY_BYTES } from '@mediamill/contract/domain/limits'
import type { FastifyRequest } from 'fastify'
import { JoinedChunks } from '../lib/joined-chunks.ts'
import { MAX_CHUNKS } from './discard-body.ts'

/**
 * Reads the body of a call. It uses about as much memory as the body has bytes, even if the body arrives in tiny
 * chunks. Throws `ApiError` for a body that is too large, has too many chunks, or ends early.
 */
export function readBody(call: FastifyRequest, body: NodeJS.ReadableStream): Promise<Buffer> {
  if (Number(call.headers['content-length']) > MAX_BODY_BYTES) return Promise.reject(tooLarge())
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const joined = new JoinedChunks()
  let chunks = 0
  const onData = (chunk: Buffer) => {
    joined.add(chunk)
    chunks += 1
    if (joined.bytes > MAX_BODY_BYTES) stop(tooLarge())
    else if (chunks > MAX_CHUNKS) stop(tooManyChunks())
  }
  const onEnd = () => resolve(Buffer.concat(joined.take()))
  const stop = (error: Error) => {
    body.off('data', onData).off('end', onEnd).resume()
    reject(error)
  }
  body.on('data', onData).on('end', onEnd)
  body.on('error', (cause) =>
    stop(new ApiError('validation_failed', 'The call was not received completely. Send the call again.', { cause })),
  )
  return promise
}

function tooLarge(): ApiError {
  return new ApiError('validation_failed', 'The body must have at most 1 MB.')
}

function tooManyChunks(): ApiError {
  return new ApiError('validation_failed', `The body must arrive in at most ${MAX_CHUNKS} chunks. Send larger chunks.`)
}
