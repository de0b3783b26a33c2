import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// What an installation does last: it leaves out what npm can only install whole and nothing here ever reads, 200 MB
// (docs/notes/installation.md). JavaScript, because an installed package is beside its compiled files and a checkout beside its sources.

/** Packages of fonts, and the fonts that are drawn with: two weights, upright or leaning. */
const FONT_SCOPES = ['@embedpdf', '@expo-google-fonts']
const FONT = /\.(?:ttf|otf)$/
const DRAWN = /(?:-|_400|_700)(?:Regular|Bold)(?:_Italic)?\.(?:ttf|otf)$/

/** Returns what `read` does, and an empty value for what is not there. */
const orNone = (read, none) => {
  try {
    return read()
  } catch {
    return none
  }
}

/** Lists the entries of a folder and all below it. */
const entriesOf = (folder) =>
  orNone(() => readdirSync(folder, { recursive: true }), []).map((name) => join(folder, name))

/** Lists the packages below `node_modules`, by their names. */
const packagesIn = (modules) =>
  orNone(() => readdirSync(modules), []).flatMap((name) =>
    name.startsWith('@') ? orNone(() => readdirSync(join(modules, name)), []).map((part) => `${name}/${part}`) : [name],
  )

/** Returns the names that a package depends on; what it is developed with is only there for a project itself. */
const needsOf = (folder, isProject) => {
  const own = orNone(() => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), {})
  const needs = { ...own.dependencies, ...own.optionalDependencies, ...own.peerDependencies }
  return Object.keys(isProject ? { ...needs, ...own.devDependencies } : needs)
}

/** Lists fonts that nothing draws with. */
const spareFontsOf = (folder) => entriesOf(folder).filter((path) => FONT.test(path) && !DRAWN.test(path))

/** Lists headers of Node.js, for those who compile against it. */
const headersOf = (folder) =>
  packagesIn(join(folder, 'node_modules'))
    .map((name) => join(folder, 'node_modules', name, 'include'))
    .filter((path) => existsSync(path))

/** Returns all that packages lead to, themselves among them; each is asked for what it needs. */
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

/** Lists the packages of WebRTC, an optional part of node-av, as far as no other package needs them. */
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

/** Lists what is not needed below a folder `node_modules`. What others than `ours` depend on stays whole. */
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
