import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptedItems, addVary } from './negotiate.ts'

const MIN_BYTES = 1_024

const COMPRESSIBLE = /^(?:text\/(?:html|markdown|plain)|application\/json)\b/

const ENCODERS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: Buffer) => promisify(gzip)(body),
}

/** Compressed versions of bodies. A cached body is always the same buffer, so it is compressed only once. */
const compressed = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() }

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
    const body = Buffer.isBuffer(payload) ? payload : Buffer.from(payload)
    const form = compressed[encoding].get(body) ?? ENCODERS[encoding](body)
    compressed[encoding].set(body, form)
    return await form
  })
}
