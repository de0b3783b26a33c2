import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { describeForPages } from '../../description/pages.ts'
import type { Door } from '../../door.ts'
import { once } from './once.ts'

const REFERENCE_PATH = '/docs/reference'
const SCRIPT_PATH = `${REFERENCE_PATH}/js/scalar.js`
/** What the pages show. */
const SHOWN_PATH = `${REFERENCE_PATH}/description.json`

/** The pages load nothing from anywhere else: they work without the internet. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Scalar breaks a code wherever its column ends; in the tables of codes only what they mean may be broken. */
const CODES_UNBROKEN =
  '.markdown :is(th, td) { padding: 6px !important; overflow-wrap: normal !important; word-break: normal !important } ' +
  '.markdown td code { white-space: nowrap; padding: 0 !important } ' +
  '@media (width < 30rem) { .markdown :is(th, td) { padding: 4px 3px !important } .markdown td code { font-size: 11px !important } }'

/** Scalar's quiet colours, small arrows and scrolled code keep some readers out (WCAG 2.2 AA). */
const ACCESSIBLE =
  '.light-mode { --scalar-color-2: #5c5c5c !important; --scalar-color-3: #666 !important; ' +
  '--scalar-color-accent: #00609f !important; --scalar-color-yellow: #7a5700 !important; --scalar-color-green: #006b45 !important; --scalar-color-blue: #00609f !important; --scalar-color-orange: #a33a00 !important; --scalar-color-red: #b3001b !important } ' +
  '.dark-mode { --scalar-color-3: #a0a0a0 !important; --scalar-color-red: #ff6b6b !important } ' +
  '.group\\/group-button > button[class*="p-0.75"] { padding: 4px !important } ' +
  // Colours of code are spans that would keep long strings and comments in one line, wider than a telephone.
  'pre.hljs, .hljs, .hljs * { white-space: pre-wrap !important; overflow-wrap: anywhere } ' +
  'pre.hljs, .hljs { overflow: visible !important }'

/** Serves the description as pages where every call can be tried. They need no key to be read (rulings 13, 14). */
export function serveReference(app: FastifyInstance, door: Door): void {
  const shown = once(() => JSON.stringify(describeForPages(door.links.baseUrl, door.console !== undefined)))
  const pages = once(() => buildPages(door.links.baseUrl))
  app.addHook('onClose', async () => {
    if (pages.made !== undefined) await (await pages.made).close()
  })
  app.get(SHOWN_PATH, (_call, reply) => reply.type('application/json; charset=utf-8').send(shown.get()))
  for (const path of [REFERENCE_PATH, `${REFERENCE_PATH}/`]) {
    app.get(path, async (_call, reply) => {
      const page = await (await pages.get()).inject(`${REFERENCE_PATH}/`)
      // wall: pages that load from elsewhere
      return await reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', POLICY)
        .send(mended(page.body, door.links.baseUrl))
    })
  }
  app.get(SCRIPT_PATH, async (_call, reply) => {
    const script = await (await pages.get()).inject(SCRIPT_PATH)
    reply.header('cache-control', 'public, max-age=86400')
    return await reply.type('application/javascript; charset=utf-8').send(script.rawPayload)
  })
}

/** The page with its language, and a script of ours for what Scalar's parts lack. */
function mended(page: string, baseUrl: string): string {
  const script = `${new URL(baseUrl).pathname.replace(/\/$/, '')}/docs/assets/reference.js`
  return page.replace('<html>', '<html lang="en">').replace('</head>', `<script src="${script}" defer></script></head>`)
}

/** Scalar's pages on an instance of their own, made when somebody first reads them: they weigh 4 MB. */
async function buildPages(baseUrl: string): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '')
  const pages = Fastify()
  await pages.register(scalar, {
    routePrefix: REFERENCE_PATH,
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
      favicon: `${prefix}/docs/assets/icon.svg`,
      customCss: `${CODES_UNBROKEN}${ACCESSIBLE}`,
    },
  })
  await pages.ready()
  return pages
}
