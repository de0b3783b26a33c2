import { ApiError } from '@mediamill/contract/domain/errors'
import { MAX_BODY_BYTES } from '@mediamill/contract/domain/limits'
import type { FastifyRequest } from 'fastify'
import { JoinedChunks } from '../lib/joined-chunks.ts'
import { MAX_PIECES } from './refused-body.ts'

/**
 * Reads the whole body of a call. The memory it takes is about the body's size, however small its pieces are.
 *
 * Throws `ApiError` for one that is too large or comes in too many pieces, and the stream's error for one that breaks off.
 */
export function readBody(call: FastifyRequest, body: NodeJS.ReadableStream): Promise<Buffer> {
  if (Number(call.headers['content-length']) > MAX_BODY_BYTES) return Promise.reject(tooLarge())
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const joined = new JoinedChunks()
  let pieces = 0
  const onData = (piece: Buffer) => {
    joined.add(piece)
    pieces += 1
    if (joined.bytes > MAX_BODY_BYTES) stop(tooLarge())
    else if (pieces > MAX_PIECES) stop(tooManyPieces())
  }
  const onEnd = () => resolve(Buffer.concat(joined.take()))
  const stop = (error: Error) => {
    body.off('data', onData).off('end', onEnd).resume()
    reject(error)
  }
  body.on('data', onData).on('end', onEnd)
  // A body that breaks off is its sender's fault.
  body.on('error', (cause) =>
    stop(new ApiError('validation_failed', 'The call could not be read to its end.', { cause })),
  )
  return promise
}

function tooLarge(): ApiError {
  return new ApiError('validation_failed', 'The body is larger than 1 MB, the most a call may send.')
}

function tooManyPieces(): ApiError {
  return new ApiError('validation_failed', `The body comes in more than ${MAX_PIECES} pieces. Send it in larger ones.`)
}
