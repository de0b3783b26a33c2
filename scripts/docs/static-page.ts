import { posix } from 'node:path'

/** A page of the static site, and the files of the site. Links to other paths lead to the service at `baseUrl`. */
type StaticTarget = { file: string; files: ReadonlySet<string>; baseUrl: string }

const ADDRESS = / (href|src)="(\/[^"#]*)(#[^"]*)?"/g

/** Makes links between pages relative, so that the site works at any path and from a disk. */
export function staticPage(html: string, target: StaticTarget): string {
  const toRoot = posix.relative(posix.dirname(target.file), 'docs') || '.'
  return html
    .replaceAll(ADDRESS, (_whole, name: string, path: string, hash = '') => ` ${name}="${linkOf(path, target)}${hash}"`)
    .replace(/ data-search="[^"]*" data-docs="[^"]*"/, ` data-search="${toRoot}/search.js" data-docs="${toRoot}"`)
}

function fileOf(path: string, files: ReadonlySet<string>): string | undefined {
  const plain = path.replace(/^\//, '')
  return [plain, posix.join(plain, 'index.html')].find((file) => files.has(file))
}

/** Returns the search index as a script, because a page on a disk cannot load JSON. Paths are relative to `docs`. */
export function searchScript(index: string, { files, baseUrl }: Omit<StaticTarget, 'file'>): string {
  const entries = JSON.parse(index) as { path: string }[]
  const found = entries.map((entry) => {
    const [path = '', hash] = entry.path.split('#')
    const file = posix.relative('docs', fileOf(belowService(path, baseUrl), files) ?? 'docs/index.html')
    return { ...entry, path: hash === undefined ? file : `${file}#${hash}` }
  })
  return `globalThis.searchEntries = ${JSON.stringify(found)}\n`
}

function linkOf(path: string, { file, files, baseUrl }: StaticTarget): string {
  const below = belowService(path, baseUrl)
  const target = fileOf(below, files)
  return target === undefined ? `${baseUrl}${below}` : posix.relative(posix.dirname(file), target)
}

function belowService(path: string, baseUrl: string): string {
  const own = new URL(baseUrl).pathname.replace(/\/$/, '')
  return path.startsWith(`${own}/`) ? path.slice(own.length) : path
}
