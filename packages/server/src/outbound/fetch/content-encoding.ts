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

/** Returns the decoded body, or `undefined` for an unknown encoding. The caller must read it in the same tick. */
export function decodedBody({ response, body }: ReceivedResponse): Readable | undefined {
  const name = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (name === 'identity' || name === '') return body
  const decoder = DECODERS.get(name)?.()
  // If either stream fails, `pipeline` destroys both. The decoder emits the error to the caller.
  return decoder === undefined ? undefined : pipeline(body, decoder, () => {})
}
