import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The last step of an installation: deletes 200 MB of files of dependencies that the service never reads
// (docs/notes/installation.md). JavaScript, because it runs from both the sources and the compiled package.

/** Packages of fonts, and the files that text watermarks use: two weights, regular or italic. */
const FONT_SCOPES = ['@embedpdf', '@expo-google-fonts']
const FONT = /\.(?:ttf|otf)$/
const DRAWN = /(?:-|_400|_700)(?:Regular|Bold)(?:_Italic)?\.(?:ttf|otf)$/

/** Returns the result of `read`, or an empty value if it fails. */
const orNone = (read, none) => {
  try {
    return read()
  } catch {
    return none
  }
}

const entriesOf = (folder) =>
  orNone(() => readdirSync(folder, { recursive: true }), []).map((name) => join(folder, name))

const packagesIn = (modules) =>
  orNone(() => readdirSync(modules), []).flatMap((name) =>
    name.startsWith('@') ? orNone(() => readdirSync(join(modules, name)), []).map((part) => `${name}/${part}`) : [name],
  )

/** Returns the names of a package's dependencies. Development dependencies are only installed for a project. */
const needsOf = (folder, isProject) => {
  const own = orNone(() => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), {})
  const needs = { ...own.dependencies, ...own.optionalDependencies, ...own.peerDependencies }
  return Object.keys(isProject ? { ...needs, ...own.devDependencies } : needs)
}

const spareFontsOf = (folder) => entriesOf(folder).filter((path) => FONT.test(path) && !DRAWN.test(path))

/** Lists headers of Node.js, which only compiling native add-ons requires. */
const headersOf = (folder) =>
  packagesIn(join(folder, 'node_modules'))
    .map((name) => join(folder, 'node_modules', name, 'include'))
    .filter((path) => existsSync(path))

/** Returns packages with all their direct and indirect dependencies. */
function reached(names, needs) {
  const found = new Set()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue
    found.add(name)
    waiting.push(...needs(name))
  }
  return found
}

/** Lists the WebRTC packages, an optional dependency of node-av, that no other package depends on. */
function spareWebRtc(modules, project, ours) {
  const needs = (name) => {
    const folder = join(modules, name)
    const nested = packagesIn(join(folder, 'node_modules')).map((part) => join(folder, 'node_modules', part))
    return [folder, ...nested].flatMap((one) => needsOf(one, false))
  }
  const roots = [...needsOf(project, true), ...needsOf(ours, true)]
  const kept = reached(roots, (name) => needs(name).filter((one) => name !== 'node-av' || one !== 'werift'))
  const spare = [...reached(['werift'], needs)].filter((name) => !kept.has(name))
  return spare.map((name) => join(modules, name)).filter((folder) => existsSync(folder))
}

/** Lists the unneeded files of a `node_modules` folder. Dependencies of packages other than `ours` stay complete. */
export function unneededIn(modules, ours) {
  const project = dirname(modules)
  const packages = packagesIn(modules)
  const others = [project, ...packages.map((name) => join(modules, name))].filter((folder) => folder !== ours)
  const shared = new Set(others.flatMap((folder) => needsOf(folder, folder === project)))
  const fonts = packages.filter((name) => FONT_SCOPES.includes(name.split('/')[0]) && !shared.has(name))
  return [
    ...fonts.flatMap((name) => spareFontsOf(join(modules, name))),
    ...(shared.has('node') ? [] : headersOf(join(modules, 'node'))),
    ...(shared.has('node-av') ? [] : spareWebRtc(modules, project, ours)),
  ]
}

const self = fileURLToPath(import.meta.url)
if (process.argv[1] === self) {
  const ours = dirname(dirname(self))
  const beside = dirname(ours)
  for (const modules of [join(ours, 'node_modules'), ...(basename(beside) === 'node_modules' ? [beside] : [])]) {
    for (const path of unneededIn(modules, ours)) rmSync(path, { recursive: true, force: true })
  }
}
