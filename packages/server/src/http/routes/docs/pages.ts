import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A page of the documentation: where it is served below /docs, and its Markdown. */
export type Page = { slug: string; file: string; title: string; text: string }

/** A part of the menu. A page without a file is one that the service makes itself. */
export type Section = { title: string; pages: readonly { slug: string; title: string }[] }

/** The installation: a checkout or a package, which hold the same pages. */
const ROOT = join(import.meta.dirname, '../../../../../..')

/** The menu, by slugs; a page that is not in it is reached by links and by the search. */
const MENU: readonly (readonly [title: string, slugs: readonly string[]])[] = [
  ['Start', ['']],
  ['Recipes', ['recipes']],
  [
    'Guides',
    [
      'images',
      'videos',
      'documents',
      'uploads',
      'waiting',
      'webhooks',
      'idempotency',
      'errors',
      'limits',
      'console',
      'agents',
    ],
  ],
  ['Library', ['library', 'library-methods']],
  ['Command line', ['command-line']],
  ['Reference', ['reference', 'interface']],
  ['Operate', ['operate', 'performance', 'security', 'licences', 'changelog']],
  ['How it is built', ['architecture', 'rulings', 'pdf-library', 'decisions', 'contributing']],
]

/** Pages whose file is not `docs/SLUG.md`. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  '': 'docs/start.md',
  decisions: 'docs/decisions/README.md',
  library: 'packages/sdk/README.md',
  'library-methods': 'packages/sdk/api.md',
  changelog: 'CHANGELOG.md',
  contributing: 'CONTRIBUTING.md',
  'report-a-vulnerability': 'SECURITY.md',
}

/** What the menu says of pages whose heading is too long for it, or that have no Markdown of their own. */
const SHORT_TITLES: Readonly<Record<string, string>> = {
  '': 'In 60 seconds',
  recipes: 'All 24, with pictures',
  library: 'TypeScript',
  'library-methods': 'Every method',
  'command-line': 'mediamill',
  errors: 'Errors',
}

/** The whole documentation, read once. */
export class Documentation {
  readonly #bySlug = new Map<string, Page>()
  readonly #slugs = new Map<string, string>()

  /** `made` are the pages that the service writes itself, as Markdown. */
  constructor(made: readonly { slug: string; text: string }[] = []) {
    const files = globSync(['docs/*.md', 'docs/{decisions,recipes}/*.md'], { cwd: ROOT }).map((file) =>
      file.replaceAll('\\', '/'),
    )
    const others = new Map(Object.entries(OTHER_FILES).map(([slug, file]) => [file, slug]))
    for (const file of new Set([...files, ...others.keys()])) {
      const slug = others.get(file) ?? file.replace(/^docs\//, '').replace(/(?:\/README)?\.md$/, '')
      this.#add(slug, file, readFileSync(join(ROOT, file), 'utf8'))
    }
    for (const { slug, text } of made) this.#add(slug, `docs/${slug}.md`, text)
  }

  #add(slug: string, file: string, text: string): void {
    const title = /^# (.+)$/m.exec(text)?.[1] ?? slug
    this.#bySlug.set(slug, { slug, file, title, text })
    this.#slugs.set(file, slug)
  }

  page(slug: string): Page | undefined {
    return this.#bySlug.get(slug)
  }

  get pages(): Page[] {
    return [...this.#bySlug.values()]
  }

  /** The page that a link of another page names, `undefined` when it is of no page. */
  linked(from: Page, path: string): string | undefined {
    return this.#slugs.get(posix.join(posix.dirname(from.file), path))
  }

  get menu(): Section[] {
    return MENU.map(([title, slugs]) => ({
      title,
      pages: slugs.map((slug) => ({ slug, title: SHORT_TITLES[slug] ?? this.page(slug)?.title ?? slug })),
    }))
  }
}

/** The file of an image, style or script of the pages. Only files of docs/ that belong to pages are found. */
export function assetFile(name: string): URL | undefined {
  const known = globSync(['docs/assets/**/*.{jpg,png,webp,css,js,svg}', 'docs/recipes/*.{jpg,png,webp,gif}'], {
    cwd: ROOT,
  })
  const file = `docs/${name}`
  return known.some((one) => one.replaceAll('\\', '/') === file) ? pathToFileURL(join(ROOT, file)) : undefined
}
