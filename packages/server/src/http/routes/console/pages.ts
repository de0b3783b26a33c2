import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { unlessMissing } from '../../../lib/unless-missing.ts'
import type { ApiContext } from '../../api-context.ts'
import { basePathOf } from '../../base-path.ts'
import { notFound } from '../../errors.ts'
import { sendFile } from '../../send-file.ts'
import type { ConsoleOptions } from './console-context.ts'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  woff2: 'font/woff2',
}

const ASSET = /^[\w-][\w.-]{0,200}\.([a-z0-9]{2,5})$/

export function servePages(app: FastifyInstance, api: ApiContext, { folder }: ConsoleOptions): void {
  const prefix = basePathOf(api.links.baseUrl)
  const ownOrigin = new URL(api.links.baseUrl).origin
  const bucket = originOfStore(api)

  app.get<{ Params: { name: string } }>('/console/assets/:name', async (call, reply) => {
    const type = TYPES[ASSET.exec(call.params.name)?.[1] ?? '']
    if (type === undefined) throw notFound()
    const file = new URL(`assets/${call.params.name}`, folder)
    // A file name contains a hash of the content, so the file never changes.
    return await sendFile(file, call, reply, { type, cacheControl: 'public, max-age=31536000, immutable' })
  })

  const page = async (reply: FastifyReply) => {
    const built = await unlessMissing(readFile(new URL('index.html', folder), 'utf8'))
    if (built === undefined) return await reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT)
    const nonce = randomBytes(16).toString('base64')
    const html = built
      .replaceAll('__NONCE__', nonce)
      .replaceAll('__BASE__', `${prefix}/console`)
      .replaceAll(/(src|href)="\.\//g, `$1="${prefix}/console/`)
    const files = [ownOrigin, await bucket()].filter((origin) => origin !== undefined).join(' ')
    reply.headers({
      'content-security-policy': policyOf(nonce, files),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
    return await reply.type('text/html; charset=utf-8').send(html)
  }
  for (const path of ['/console', '/console/', '/console/*']) {
    app.get(path, async (call, reply) => {
      if (/^\/console\/(?:api|assets)\//.test(call.url)) throw notFound(call)
      return await page(reply)
    })
  }
}

/** Returns the content security policy. `files`: the origins from which the console loads result files. */
const policyOf = (nonce: string, files: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' blob: data: ${files}`,
    `media-src 'self' blob: ${files}`,
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Returns a function that reads the origin of a link to the store, or `undefined` if the store has no links. */
function originOfStore({ store }: ApiContext): () => Promise<string | undefined> {
  let origin: Promise<string | undefined> | undefined
  const ask = async () => {
    const headers = { contentType: 'image/png', contentDisposition: 'inline', cacheControl: 'no-store' }
    const response = { method: 'GET' as const, ...headers }
    const link = await store.link(`${'0'.repeat(40)}.png`, response, 1).catch(() => undefined)
    return link === undefined ? undefined : new URL(link).origin
  }
  return () => (origin ??= ask())
}

const NOT_BUILT =
  '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Mediamill</title>\n' +
  '<p>The pages of the console are not built. Run <code>npm install --include=dev</code>, which builds them, then load this page again.</p>\n</html>\n'
