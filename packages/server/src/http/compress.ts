import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptedItems, addVary } from './negotiate.ts'

const MIN_BYTES = 1_024

const COMPRESSIBLE = /^(?:text\/(?:html|markdown|plain)|application\/json)\b/

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** The compressed forms of each body. A cached body is always the same buffer, so it is compressed only once. */
const compressed = new WeakMap<Buffer, Map<'br' | 'gzip', Promise<Buffer>>>()

/** Compresses text over 1 kB. Excludes the console's API, because the compressed size could reveal a secret. */
export function compressBodies(app: FastifyInstance): void {
  app.addHook('onSend', async (call, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const size = Buffer.byteLength(payload)
    if (size <= MIN_BYTES || reply.hasHeader('content-encoding') || call.url.startsWith('/console/api/')) return payload
    if (!COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return payload
    addVary(reply, 'Accept-Encoding')
    const accepted = acceptedItems(String(call.headers['accept-encoding'] ?? ''))
    const encoding = accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : undefined
    if (encoding === undefined) return payload
    reply.header('content-encoding', encoding).removeHeader('content-length')
    return await compress(Buffer.isBuffer(payload) ? payload : Buffer.from(payload), encoding)
  })
}

async function compress(body: Buffer, encoding: 'br' | 'gzip'): Promise<Buffer> {
  const forms = compressed.get(body) ?? new Map<'br' | 'gzip', Promise<Buffer>>()
  compressed.set(body, forms)
  const form =
    forms.get(encoding) ??
    (encoding === 'gzip'
      ? gzipped(body)
      : brotli(body, {
          params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
        }))
  forms.set(encoding, form)
  return await form
}
