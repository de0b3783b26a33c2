import { extname } from 'node:path'
import { SAMPLE_NAMES, SAMPLES } from '@mediamill/contract/domain/samples'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sampleFile } from '../../outbound/fetch/samples.ts'
import { describeInterface } from '../description/document.ts'
import type { Door } from '../door.ts'
import { notFound } from '../errors.ts'
import { sendFile } from '../send-file.ts'
import { once } from './docs/once.ts'
import type { Site } from './docs/site.ts'

/** The pages run one script of ours and load nothing from anywhere else: they work without the internet. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const ASSET_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
}

/**
 * Serves the documentation of this version: for people, for programs and for agents. None needs a key (rulings 13,
 * 23).
 */
export function serveDocs(app: FastifyInstance, door: Door): void {
  const place = { baseUrl: door.links.baseUrl, hasConsole: door.console !== undefined }
  const description = once(() => JSON.stringify(describeInterface(place.baseUrl)))
  // What renders the pages is loaded with the first of them.
  const site = once(async () => new (await import('./docs/site.ts')).Site(place))

  app.get('/v1/openapi.json', (_call, reply) => reply.type('application/json; charset=utf-8').send(description.get()))

  app.get<{ Params: { name: string } }>('/docs/samples/:name', async (call, reply) => {
    const name = SAMPLE_NAMES.find((sample) => sample === call.params.name)
    if (name === undefined) throw notFound()
    const served = { type: SAMPLES[name], cacheControl: 'public, max-age=86400' }
    const sent = await sendFile(sampleFile(name), call, reply, served)
    if (sent === undefined) throw notFound()
    return sent
  })

  app.get('/llms.txt', async (_call, reply) => reply.type(MARKDOWN).send((await site.get()).llms()))
  app.get('/llms-full.txt', async (_call, reply) => reply.type(MARKDOWN).send((await site.get()).llmsFull()))
  app.get('/docs/search.json', async (_call, reply) =>
    reply.type('application/json; charset=utf-8').send((await site.get()).search()),
  )
  for (const path of ['/docs', '/docs/*']) {
    app.get<{ Params: { '*'?: string } }>(path, async (call, reply) => {
      return await servePage(await site.get(), call.params['*'] ?? '', call, reply)
    })
  }
}

async function servePage(site: Site, path: string, call: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const asset = site.asset(path)
  if (asset !== undefined) {
    const type = ASSET_TYPES[extname(path)] ?? 'application/octet-stream'
    const sent = await sendFile(asset, call, reply, { type, cacheControl: 'public, max-age=3600' })
    if (sent === undefined) throw notFound()
    return sent
  }
  const slug = path
    .replace(/\/$/, '')
    .replace(/\.md$/, '')
    .replace(/^start$/, '')
  const page = site.page(slug)
  if (page === undefined) throw notFound(call)
  reply.header('vary', 'Accept')
  if (path.endsWith('.md') || wantsMarkdown(call.headers.accept ?? '')) {
    return await reply.type(MARKDOWN).send(page.markdown())
  }
  reply.header('link', `<${page.markdownPath}>; rel="alternate"; type="text/markdown"`)
  // wall: pages of docs that run or load what is not ours
  return await reply.type(HTML).header('content-security-policy', POLICY).send(page.html())
}

/** Whether an Accept header lists `text/markdown` first, or lists it and not `text/html`. */
function wantsMarkdown(accept: string): boolean {
  const types = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim())
  return types[0] === 'text/markdown' || (types.includes('text/markdown') && !types.includes('text/html'))
}
