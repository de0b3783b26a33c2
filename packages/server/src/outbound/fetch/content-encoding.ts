import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ReceivedResponse } from '../send.ts'

const DECODERS: ReadonlyMap<string, () => NodeJS.ReadWriteStream & Readable> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Returns the decompressed body, which must be read in the same tick. `undefined`: the encoding is not supported. */
export function decodedBody({ response, body }: ReceivedResponse): Readable | undefined {
  const name = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return body
  const decoder = DECODERS.get(name)?.()
  // An error in either stream destroys both, and the decoder emits it to the caller.
  return decoder === undefined ? undefined : pipeline(body, decoder, () => {})
}
