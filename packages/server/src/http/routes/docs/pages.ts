import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'

export type Page = { slug: string; file: string; title: string; text: string }

type Section = { title: string; pages: readonly { slug: string; title: string }[] }

/** The address of the service in docs/. The server replaces it with its own address. */
export const WRITTEN_ADDRESS = 'http://127.0.0.1:8080'

const ROOT = join(import.meta.dirname, '../../../../../..')

const MOVED: Readonly<Record<string, string>> = {
  idempotency: 'retries',
  limits: 'retries',
  interface: 'reference',
  rulings: 'reference',
  licences: 'licenses',
  'notes/archive': 'notes/history',
  'notes/documentation-pages': 'notes/console',
  'notes/form-files': 'notes/storage',
  'notes/migrations': 'notes/database',
  'notes/own-parts': 'notes/installation',
  'notes/screenshots': 'notes/videos',
  'notes/split-videos': 'notes/videos',
  'operate/compose': 'operate/fleet',
  'operate/kubernetes': 'operate/fleet',
  'operate/sizing': 'operate/scaling',
  'operate/split-videos': 'operate/scaling',
  'operate/systemd': 'operate/fleet',
  'operate/troubleshooting': 'operate/runbooks',
  'pdf-library': 'notes/documents',
}

const MENU: readonly (readonly [title: string, slugs: readonly string[]])[] = [
  ['Start', ['', 'console', 'glossary']],
  ['Recipes', ['recipes']],
  [
    'Guides',
    [
      'images',
      'formats',
      'videos',
      'documents',
      'text-watermarks',
      'uploads',
      'waiting',
      'webhooks',
      'retries',
      'errors',
      'agents',
    ],
  ],
  ['Library', ['library', 'library-methods']],
  ['Command line', ['command-line']],
  [
    'Reference',
    [
      'reference',
      'reference/calls',
      'reference/requests',
      'reference/sources',
      'reference/images',
      'reference/videos',
      'reference/documents',
      'reference/operations',
      'reference/outputs',
      'reference/uploads',
      'reference/text-watermarks',
      'reference/destinations',
      'reference/webhooks',
      'reference/account',
      'reference/errors',
      'reference/limits',
      'reference/operator',
      'reference/console',
      'reference/agents',
      'reference/specification',
    ],
  ],
  ['Operate', ['operate', 'security', 'licenses', 'changelog']],
  ['Internals', ['architecture', 'performance', 'notes']],
  ['Contributing', ['contributing']],
]

const OTHER_FILES: Readonly<Record<string, string>> = {
  '': 'docs/start.md',
  library: 'packages/sdk/README.md',
  'library-methods': 'packages/sdk/api.md',
  changelog: 'CHANGELOG.md',
  contributing: 'CONTRIBUTING.md',
  'report-a-vulnerability': 'SECURITY.md',
}

/** Files that the operator pages link to. Each file becomes a page under /docs/files. */
const DEPLOY_FILES = ['compose.yaml', 'deploy/**/*.{cfg,json,toml,yaml}']

const LISTED: ReadonlySet<string> = new Set(['contributing', 'notes', 'operate'])

const SHORT_TITLES: Readonly<Record<string, string>> = {
  '': 'First request',
  operate: 'Overview',
  contributing: 'Overview',
  recipes: 'All 30 recipes',
  library: 'TypeScript',
  'library-methods': 'Every method',
  'command-line': 'mediamill',
  errors: 'Errors',
  reference: 'Overview',
}

export class Documentation {
  readonly #bySlug = new Map<string, Page>()
  readonly #slugs = new Map<string, string>()

  constructor(hasConsole = false) {
    const files = globSync(['docs/*.md', 'docs/{contributing,notes,operate,recipes,reference}/*.md'], {
      cwd: ROOT,
    }).map((file) => file.replaceAll('\\', '/'))
    const others = new Map(Object.entries(OTHER_FILES).map(([slug, file]) => [file, slug]))
    for (const file of new Set([...files, ...others.keys()])) {
      const slug = others.get(file) ?? file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '')
      this.#add(slug, file, servedText(readFileSync(join(ROOT, file), 'utf8'), hasConsole))
    }
    for (const file of globSync(DEPLOY_FILES, { cwd: ROOT }).map((found) => found.replaceAll('\\', '/'))) {
      this.#add(`files/${file}`, file, `# ${file}\n\`\`\`\n${readFileSync(join(ROOT, file), 'utf8')}\n\`\`\`\n`)
    }
  }

  #add(slug: string, file: string, text: string): void {
    const title = /^# (.+)$/m.exec(text)?.[1] ?? slug
    this.#bySlug.set(slug, { slug, file, title, text })
    this.#slugs.set(file, slug)
  }

  page(slug: string): Page | undefined {
    return this.#bySlug.get(slug)
  }

  moved(slug: string): string | undefined {
    return Object.hasOwn(MOVED, slug) ? MOVED[slug] : undefined
  }

  get pages(): Page[] {
    return [...this.#bySlug.values()]
  }

  linked(from: Page, path: string): string | undefined {
    return this.#slugs.get(posix.join(posix.dirname(from.file), path))
  }

  get menu(): Section[] {
    return MENU.map(([title, slugs]) => ({
      title,
      pages: slugs
        .flatMap((slug) => (LISTED.has(slug) ? [slug, ...this.#below(slug)] : [slug]))
        .map((slug) => ({ slug, title: SHORT_TITLES[slug] ?? this.page(slug)?.title ?? slug })),
    }))
  }

  #below(slug: string): string[] {
    const overview = this.page(slug)?.text ?? ''
    const place = (one: string) => overview.indexOf(`${posix.basename(one)}.md`)
    return [...this.#bySlug.keys()]
      .filter((one) => one.startsWith(`${slug}/`))
      .toSorted((one, other) => place(one) - place(other))
  }
}

/** Removes the lines that link to a test, and without the console, the paragraphs that link to the playground. */
function servedText(text: string, hasConsole: boolean): string {
  const withoutTests = text.replaceAll(/^ {2}\[test\]\(.*\n/gm, '')
  return hasConsole ? withoutTests : withoutTests.replaceAll(/^\[Try this call in the playground\]\(.*\n\n/gm, '')
}

/** Returns the OpenAPI description, with the addresses of this service. */
export function openApiText(baseUrl: string): string {
  const written = readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')
  const description = JSON.parse(written.replaceAll(WRITTEN_ADDRESS, baseUrl)) as { servers: object[] }
  const servers = description.servers.map((server) => ({ ...server, url: new URL(baseUrl).pathname }))
  return JSON.stringify({ ...description, servers })
}

function findAssets(): ReadonlySet<string> {
  const patterns = ['docs/assets/**/*.{jpg,png,webp,css,js,svg}', 'docs/recipes/*.{jpg,png,webp,gif}']
  return new Set(globSync(patterns, { cwd: ROOT }).map((file) => file.replaceAll('\\', '/')))
}

let assets: ReadonlySet<string> | undefined

/** Returns the file of an image, style, or script. The server does not serve other files of docs/. */
export function assetFile(name: string): URL | undefined {
  const file = `docs/${name}`
  assets ??= findAssets()
  return assets.has(file) ? pathToFileURL(join(ROOT, file)) : undefined
}
