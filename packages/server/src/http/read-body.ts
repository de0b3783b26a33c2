import { ApiError } from '@mediamill/contract/domain/errors'
import { MAX_BODY_BYTES } from '@mediamill/contract/domain/limits'
import type { FastifyRequest } from 'fastify'
import { JoinedChunks } from '../lib/joined-chunks.ts'
import { MAX_CHUNKS } from './discard-body.ts'

/** The maximum body size of calls without a key or session, such as a sign-in. */
const MAX_PUBLIC_BODY_BYTES = 16 * 1024

const MAX_OPEN_MIB = 64

type OpenBody = { bytes: number; reject: () => void }

const openBodies = new Set<OpenBody>()
let openBytes = 0

/**
 * Counts the bytes of all open bodies. Above the limit, rejects the largest bodies first, because a stranger without a
 * key can send thousands of large bodies.
 */
function countBytes(body: OpenBody, bytes: number): void {
  openBodies.add(body)
  body.bytes += bytes
  openBytes += bytes
  while (openBytes > MAX_OPEN_MIB * 1024 * 1024) {
    const largest = [...openBodies].reduce((one, other) => (other.bytes > one.bytes ? other : one))
    stopCounting(largest)
    largest.reject()
  }
}

function stopCounting(body: OpenBody): void {
  if (openBodies.delete(body)) openBytes -= body.bytes
}

/** Reads a body. Even a body in tiny chunks needs little more memory than its size. Throws `ApiError`. */
export function readBody(call: FastifyRequest, body: NodeJS.ReadableStream): Promise<Buffer> {
  const maxBytes =
    call.routeOptions.config.console?.allowedSessions === 'anyone' ? MAX_PUBLIC_BODY_BYTES : MAX_BODY_BYTES
  if (Number(call.headers['content-length']) > maxBytes) return Promise.reject(tooLarge(maxBytes))
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const joined = new JoinedChunks()
  let chunks = 0
  const open = { bytes: 0, reject: () => stop(tooManyOpen()) }
  const close = () => stopCounting(open)
  const onData = (chunk: Buffer) => {
    joined.add(chunk)
    chunks += 1
    countBytes(open, chunk.length)
    if (joined.bytes > maxBytes) stop(tooLarge(maxBytes))
    else if (chunks > MAX_CHUNKS) stop(tooManyChunks())
  }
  const onEnd = () => {
    close()
    resolve(Buffer.concat(joined.take()))
  }
  const stop = (error: Error) => {
    close()
    body.off('data', onData).off('end', onEnd).resume()
    joined.take()
    reject(error)
  }
  body.on('data', onData).on('end', onEnd).on('close', close)
  body.on('error', (cause) =>
    stop(new ApiError('validation_failed', 'The call was not received completely. Send the call again.', { cause })),
  )
  return promise
}

function tooManyOpen(): ApiError {
  const message = `More than ${MAX_OPEN_MIB} MiB of bodies are arriving at this process. Send the call again.`
  return new ApiError('rate_limited', message, { retryAfterSeconds: 1 })
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    'validation_failed',
    `The body must have at most ${maxBytes === MAX_BODY_BYTES ? '1 MiB' : '16 KiB'}.`,
  )
}

function tooManyChunks(): ApiError {
  return new ApiError('validation_failed', `The body must arrive in at most ${MAX_CHUNKS} chunks. Send larger chunks.`)
}
