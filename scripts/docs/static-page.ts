import { posix } from 'node:path'

/** A page of the static site: its file, all files of the site, and the URL of a service for everything else. */
export type StaticPlace = { file: string; files: ReadonlySet<string>; baseUrl: string }

/** An attribute in HTML with a path of the service. */
const ADDRESS = / (href|src)="(\/[^"#]*)(#[^"]*)?"/g

/**
 * Makes a page of the service one of a static site, which works below any path, and from a disk.
 *
 * Links lead to the site's own files, relatively; links to other paths, such as the OpenAPI description, lead to the service.
 */
export function staticPage(html: string, place: StaticPlace): string {
  const toRoot = posix.relative(posix.dirname(place.file), 'docs') || '.'
  return html
    .replaceAll(ADDRESS, (_whole, name: string, path: string, hash = '') => ` ${name}="${linkOf(path, place)}${hash}"`)
    .replace(/ data-search="[^"]*" data-docs="[^"]*"/, ` data-search="${toRoot}/search.js" data-docs="${toRoot}"`)
}

/** The file that a path of the service is in the static site, below its folder. */
function fileOf(path: string, files: ReadonlySet<string>): string | undefined {
  const plain = path.replace(/^\//, '')
  return [plain, posix.join(plain, 'index.html')].find((file) => files.has(file))
}

/** Writes the index of the search as a script, which browsers load from a disk too. Its paths begin at the folder `docs`. */
export function searchScript(index: string, { files, baseUrl }: Omit<StaticPlace, 'file'>): string {
  const entries = JSON.parse(index) as { path: string }[]
  const found = entries.map((entry) => {
    const [path = '', hash] = entry.path.split('#')
    const file = posix.relative('docs', fileOf(belowService(path, baseUrl), files) ?? 'docs/index.html')
    return { ...entry, path: hash === undefined ? file : `${file}#${hash}` }
  })
  return `globalThis.searchEntries = ${JSON.stringify(found)}\n`
}

function linkOf(path: string, { file, files, baseUrl }: StaticPlace): string {
  const below = belowService(path, baseUrl)
  const target = fileOf(below, files)
  return target === undefined ? `${baseUrl}${below}` : posix.relative(posix.dirname(file), target)
}

/** A path without that of the service's own address. */
function belowService(path: string, baseUrl: string): string {
  const own = new URL(baseUrl).pathname.replace(/\/$/, '')
  return path.startsWith(`${own}/`) ? path.slice(own.length) : path
}
