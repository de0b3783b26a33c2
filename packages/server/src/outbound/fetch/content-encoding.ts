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

/** Returns `undefined` for an unsupported encoding. The caller must start reading in the same tick. */
export function decodedBody({ response, body }: Answer): Readable | undefined {
  const name = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return body
  const decoder = DECODERS.get(name)?.()
  // An error of either stream destroys both. The caller sees it on the decoder.
  return decoder === undefined ? undefined : pipeline(body, decoder, () => {})
}
