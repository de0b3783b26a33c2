import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptedEncodings } from './send-file.ts'

/** Shorter bodies fit into one packet anyway. */
const MIN_BYTES = 1_024

const COMPRESSIBLE = /^(?:text\/(?:html|markdown|plain)|application\/json)\b/

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/**
 * Compresses HTML, Markdown, and JSON bodies over 1 kB with brotli or gzip, if the client accepts it.
 *
 * Files and event streams are streams and stay as they are. Responses of the console's API can contain keys, secrets,
 * and sign-in tokens next to text of a stranger, so they are never compressed.
 */
export function compressBodies(app: FastifyInstance): void {
  app.addHook('onSend', async (call, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const size = Buffer.byteLength(payload)
    if (size <= MIN_BYTES || reply.hasHeader('content-encoding') || call.url.startsWith('/console/api/')) return payload
    if (!COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return payload
    const others = reply.getHeader('vary')
    reply.header('vary', others === undefined ? 'Accept-Encoding' : `${String(others)}, Accept-Encoding`)
    const accepted = acceptedEncodings(call.headers['accept-encoding'] ?? '')
    const encoding = accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : undefined
    if (encoding === undefined) return payload
    reply.header('content-encoding', encoding).removeHeader('content-length')
    return encoding === 'gzip'
      ? await gzipped(payload)
      : await brotli(payload, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size },
        })
  })
}
