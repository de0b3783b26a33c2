import { extname } from 'node:path'
import { SAMPLE_NAMES, SAMPLES } from '@mediamill/contract/objects/samples'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sampleFile } from '../../outbound/fetch/samples.ts'
import type { ApiContext } from '../api-context.ts'
import { notFound } from '../errors.ts'
import { acceptedItems } from '../negotiate.ts'
import { sendFile } from '../send-file.ts'
import type { Site } from './docs/site.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const HTML = 'text/html; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

const MADE: readonly (readonly [path: string, type: string, textOf: (site: Site) => string])[] = [
  ['/v1/openapi.json', JSON_TYPE, (site) => site.openApi()],
  ['/llms.txt', MARKDOWN, (site) => site.llms()],
  ['/llms-full.txt', MARKDOWN, (site) => site.llmsFull()],
  ['/docs/search.json', JSON_TYPE, (site) => site.search()],
]

const ASSET_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
}

/** Serves the documentation of this version to people, programs, and agents. Requires no key (docs.pages.1). */
export function serveDocs(app: FastifyInstance, api: ApiContext): void {
  const target = { baseUrl: api.links.baseUrl, hasConsole: api.console !== undefined }
  // Load the code that renders pages only when a client requests the first page.
  let opened: Promise<Site> | undefined
  const site = () => (opened ??= import('./docs/site.ts').then(({ openSite }) => openSite(target)))
  const bodies = new Bodies()

  app.get<{ Params: { name: string } }>('/docs/samples/:name', async (call, reply) => {
    const name = SAMPLE_NAMES.find((sample) => sample === call.params.name)
    if (name === undefined) throw notFound(call)
    const served = { type: SAMPLES[name], cacheControl: 'public, max-age=86400' }
    return await sendFile(sampleFile(name), call, reply, served)
  })

  for (const [path, type, textOf] of MADE) {
    app.get(path, async (_call, reply) => {
      const made = await site()
      return await reply.type(type).send(bodies.body(path, () => textOf(made)))
    })
  }
  for (const path of ['/docs', '/docs/*']) {
    app.get<{ Params: { '*'?: string } }>(path, async (call, reply) => {
      return await servePage({ site: await site(), bodies }, call.params['*'] ?? '', call, reply)
    })
  }
}

/** Keeps bodies by name. Each body stays the same buffer, so that it is compressed only once. */
class Bodies {
  readonly #kept = new Map<string, Buffer>()

  body(name: string, text: () => string): Buffer {
    const body = this.#kept.get(name) ?? Buffer.from(text())
    this.#kept.set(name, body)
    return body
  }
}

async function servePage(
  { site, bodies }: { site: Site; bodies: Bodies },
  path: string,
  call: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const asset = site.asset(path)
  if (asset !== undefined) {
    const type = ASSET_TYPES[extname(path)] ?? 'application/octet-stream'
    return await sendFile(asset, call, reply, { type, cacheControl: 'public, max-age=3600' })
  }
  const slug = path
    .replace(/\/$/, '')
    .replace(/\.md$/, '')
    .replace(/^start$/, '')
  const moved = site.moved(slug, path.endsWith('.md'))
  if (moved !== undefined) return await reply.redirect(moved, 301)
  const page = site.page(slug)
  if (page === undefined) throw notFound(call)
  reply.header('vary', 'Accept')
  if (path.endsWith('.md') || wantsMarkdown(call.headers.accept ?? '')) {
    return await reply.type(MARKDOWN).send(bodies.body(`${slug}.md`, page.markdown))
  }
  reply.header('link', `<${page.markdownPath}>; rel="alternate"; type="text/markdown"`)
  const html = bodies.body(`${slug}.html`, page.html)
  return await reply.type(HTML).header('content-security-policy', POLICY).send(html)
}

function wantsMarkdown(accept: string): boolean {
  const types = acceptedItems(accept)
  const [first] = types
  return types.has('text/markdown') && (first === 'text/markdown' || !types.has('text/html'))
}
