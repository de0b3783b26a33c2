import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Checks that every package that a user installs has a permissive license, or a row in docs/licenses.md.

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/licenses.md'), 'utf8')

const PERMISSIVE = new Set(
  'MIT Apache-2.0 BSD-2-Clause BSD-3-Clause ISC 0BSD BlueOak-1.0.0 CC0-1.0 Unlicense OFL-1.1 MIT-0'.split(' '),
)

/** Packages whose package.json names no license, and the license in their license file. */
const UNNAMED: Readonly<Record<string, string>> = { '@shinyoshiaki/jspack': 'BSD-3-Clause' }

type Locked = { license?: string; dev?: boolean }

/** The patterns of packages in the table of the page, such as `@img/sharp-libvips-*`. */
const named = [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
)

const isNamed = (name: string) =>
  named.some((pattern) => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern))

const isPermissive = (expression: string) =>
  expression
    .replaceAll(/[()]/g, '')
    .split(/ AND /)
    .every((part) => part.split(' OR ').some((one) => PERMISSIVE.has(one.trim())))

function licenseOf(path: string, name: string, { license }: Locked): string | undefined {
  const file = join(root, path, 'package.json')
  const own = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown }).license : undefined
  return license ?? (typeof own === 'string' ? own : undefined) ?? UNNAMED[name]
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path.includes('node_modules/') && !dev)
const rejected = shipped.flatMap(([path, locked]) => {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const license = licenseOf(path, name, locked)
  return isNamed(name) || (license !== undefined && isPermissive(license))
    ? []
    : [`${name}: ${license ?? 'no license'}`]
})
if (shipped.length < 100) throw new Error(`package-lock.json names only ${shipped.length} packages`)
for (const line of rejected) process.stderr.write(`${line} is not in docs/licenses.md\n`)
if (rejected.length > 0) process.exit(1)
