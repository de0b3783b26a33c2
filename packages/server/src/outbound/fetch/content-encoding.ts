import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Answer } from '../send.ts'

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/**
 * The body without its `Content-Encoding`, or `undefined` for an encoding we do not know. Reading must begin in the
 * same tick.
 *
 * We ask for none (`Accept-Encoding: identity`); some servers compress all the same. Only one layer is taken off. What
 * the decoder gets is joined: each piece is a hop to the thread pool.
 */
export function decodedBody({ response, body }: Answer): Readable | undefined {
  const name = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return body
  const decoder = DECODERS.get(name)?.()
  // An error of either stream destroys both, and shows on the decoder, which is what the caller reads.
  return decoder === undefined ? undefined : pipeline(body, decoder, () => {})
}
