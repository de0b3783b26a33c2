import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { CODES_PATH } from '../../domain/doc-url.ts'
import { SAMPLE_NAMES, SAMPLES } from '../../domain/samples.ts'
import { sampleFile } from '../../outbound/fetch/samples.ts'
import { describeInterface } from '../description/document.ts'
import { errorsPage } from '../description/errors-page.ts'
import { describeForPages } from '../description/pages.ts'
import type { Door } from '../door.ts'
import { notFound } from '../errors.ts'

const SCRIPT_PATH = '/docs/js/scalar.js'
/** What the pages show. */
const SHOWN_PATH = '/docs/description.json'

/** The pages load nothing from anywhere else: they work without the internet. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Of a page that is only read. */
const STILL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** A mill wheel of one stroke. Without an icon of its own the browser asks for one at a path where there is none. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" stroke="#1f7a5c" stroke-width="2" fill="none">' +
    '<circle cx="8" cy="8" r="5"/><path d="M8 1v14M1 8h14M3 3l10 10M13 3 3 13"/></svg>',
)}`

/** Scalar breaks a code wherever its column ends; in the tables of codes only what they mean may be broken. */
const CODES_UNBROKEN =
  '.markdown :is(th, td) { padding: 6px !important; overflow-wrap: normal !important; word-break: normal !important } ' +
  '.markdown td code { white-space: nowrap; padding: 0 !important }'

/** The description of the interface, for programs and as pages for people. Neither needs a key (rulings 13, 14). */
export function serveDocs(app: FastifyInstance, door: Door): void {
  const description = once(() => JSON.stringify(describeInterface(door.links.baseUrl)))
  const shown = once(() => JSON.stringify(describeForPages(door.links.baseUrl)))
  const pages = once(() => buildPages(door.links.baseUrl))
  app.addHook('onClose', async () => {
    if (pages.made !== undefined) await (await pages.made).close()
  })

  app.get('/v1/openapi.json', (_call, reply) => reply.type('application/json; charset=utf-8').send(description.get()))
  // wall: a page of codes that loads or runs anything
  const errorsHeaders = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': STILL_POLICY }
  app.get(CODES_PATH, (_call, reply) => reply.headers(errorsHeaders).send(errorsPage(door.links.baseUrl)))
  app.get(SHOWN_PATH, (_call, reply) => reply.type('application/json; charset=utf-8').send(shown.get()))

  app.get<{ Params: { name: string } }>('/docs/samples/:name', async ({ params }, reply) => {
    const name = SAMPLE_NAMES.find((sample) => sample === params.name)
    if (name === undefined) throw notFound()
    reply.type(SAMPLES[name]).header('cache-control', 'public, max-age=86400')
    return await reply.send(await readFile(sampleFile(name)))
  })

  for (const path of ['/docs', '/docs/']) {
    app.get(path, async (_call, reply) => {
      const page = await (await pages.get()).inject('/docs/')
      // wall: pages that load from elsewhere
      return await reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(page.body)
    })
  }
  app.get(SCRIPT_PATH, async (_call, reply) => {
    const script = await (await pages.get()).inject(SCRIPT_PATH)
    reply.header('cache-control', 'public, max-age=86400')
    return await reply.type('application/javascript; charset=utf-8').send(script.rawPayload)
  })
}

/** Scalar's pages on an instance of their own, made when somebody first reads them: they weigh 4 MB. */
async function buildPages(baseUrl: string): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '')
  const pages = Fastify()
  await pages.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: `${prefix}${SHOWN_PATH}`,
      // What it would save is made for these pages; the introduction leads to the one for programs.
      documentDownloadType: 'none',
      // As declared: what matters most comes first.
      orderSchemaPropertiesBy: 'preserve',
      orderRequiredPropertiesFirst: false,
      cdn: `${prefix}${SCRIPT_PATH}`,
      pageTitle: 'Mediamill',
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      hideClientButton: true,
      favicon: ICON,
      customCss: CODES_UNBROKEN,
    },
  })
  await pages.ready()
  return pages
}

/** Makes something at its first use. */
function once<Made>(make: () => Made): { get: () => Made; readonly made: Made | undefined } {
  let made: Made | undefined
  return {
    get: () => (made ??= make()),
    get made() {
      return made
    },
  }
}
