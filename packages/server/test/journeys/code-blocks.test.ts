import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { validateBody } from '@mediamill/contract/endpoints/validation'
import { newStamp } from '@mediamill/contract/objects/stamp'
import { newUpload } from '@mediamill/contract/objects/upload'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import type { CodeBlock } from '@mediamill/lab/support/code-blocks'
import { readCodeBlocks, sentBodies } from '@mediamill/lab/support/code-blocks'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import sharp from 'sharp'
import { parse } from 'yaml'
import { readmeProgram } from '../../../../scripts/client/readme-program.ts'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

const root = join(import.meta.dirname, '../../../..')
const blocks = readCodeBlocks()
const ofUsers = blocks.filter(({ page }) => !/^CONTRIBUTING\.md$|^docs\/(?:architecture\.md|contributing\/)/.test(page))
const of = (language: string) => blocks.filter((block) => block.language === language)
const at = ({ page, line }: CodeBlock) => `${page}:${line}`
const execute = promisify(execFile)

const folder = await sharedFolder('mediamill-blocks-')
const service = await sharedService()

test('every code block of the documentation has a language that a test checks, except the upload form and the example delivery', () => {
  assert.ok(blocks.length > 200, String(blocks.length))
  const checked = ['json', 'sh', 'ts', 'js', 'python', 'toml', 'yaml', 'sql', 'ini']
  const isForm = ({ page, language }: CodeBlock) => page === 'docs/recipes/upload-form.md' && language === 'html'
  const isDelivery = ({ page, language }: CodeBlock) => page === 'docs/webhooks.md' && language === 'http'
  const isOther = (block: CodeBlock) => isDelivery(block) || isForm(block)
  assert.deepEqual(ofUsers.filter((block) => !checked.includes(block.language) && !isOther(block)).map(at), [])
})

test('in the documentation, every YAML block is valid, PostgreSQL accepts every SQL block, and each setting in an INI block exists in PostgreSQL', async () => {
  const [yaml, statements] = ['yaml', 'sql'].map((name) => ofUsers.filter(({ language }) => language === name))
  assert.ok(yaml?.length && statements?.length)
  for (const block of yaml) assert.equal(typeof parse(block.code), 'object', at(block))
  for (const { code } of statements) await service.sql.unsafe(code)
  const settings = ofUsers
    .filter(({ language, code }) => language === 'ini' && !code.includes('[pgbouncer]'))
    .flatMap(({ code }) => code.split('\n').map((line) => line.trim().split(' = ')[0] ?? ''))
    .filter((name) => name !== '')
  const known = await service.sql`select name from pg_settings where name = any(${settings})`
  assert.deepEqual(settings.toSorted(), known.map(({ name }) => String(name)).toSorted())
})

function assertTaken(path: string, body: unknown, where: string): void {
  const name = path.replace(/\/estimate$/, '')
  const endpoint = ENDPOINTS.find((one) => one.name === name)
  if (endpoint !== undefined) {
    assert.doesNotThrow(() => validateBody(endpoint, body), where)
    return
  }
  const schema = { stamps: newStamp, uploads: newUpload }[path]
  assert.ok(schema !== undefined, `${where} sends to ${path}`)
  assert.ok(schema.safeParse(body).success, where)
}

const GUIDES: Record<string, string> = { 'docs/videos.md': 'videos/process', 'docs/documents.md': 'documents/process' }

test('in the documentation, each JSON block parses, each request body matches its endpoint, and each list of operations is valid', () => {
  let bodies = 0
  for (const block of of('json')) {
    const value: unknown = JSON.parse(block.code)
    if (Array.isArray(value)) assert.ok(operationsSchema('image').safeParse(value).success, at(block))
    else if (typeof value === 'object' && value !== null && ('source' in value || 'text' in value)) {
      const named = [...block.before.matchAll(/`POST \/v1\/([a-z/]+)`/g)].at(-1)?.[1]
      assertTaken(GUIDES[block.page] ?? named ?? 'none', value, at(block))
      bodies += 1
    }
  }
  assert.ok(bodies > 30, String(bodies))
})

test('in the documentation, every shell block has valid syntax, and each request body in a shell block matches its endpoint', () => {
  let bodies = 0
  for (const block of of('sh')) {
    const { stderr, status } = spawnSync('bash', ['-n'], { input: block.code, encoding: 'utf8' })
    assert.deepEqual([status, stderr], [0, ''], at(block))
    for (const { path, body } of sentBodies(block.code)) {
      assertTaken(path, body, at(block))
      bodies += 1
    }
  }
  assert.ok(bodies > 40, String(bodies))
})

/** Runs shell code with bash. Stops at the first rejected call. */
async function paste(name: string, code: string, variables: Record<string, string>) {
  const [work, bin] = [join(folder, name), join(folder, `${name}-bin`)]
  for (const path of [work, bin]) await mkdir(path)
  for (const name of ['photo.jpg', 'logo.png'] as const) await copyFile(sampleFile(name), join(work, name))
  const { stdout } = spawnSync('sh', ['-c', 'command -v curl'], { encoding: 'utf8' })
  await writeFile(join(bin, 'curl'), `#!/bin/sh\nexec ${stdout.trim()} --fail-with-body "$@"\n`, { mode: 0o755 })
  const PATH = [bin, dirname(process.execPath), process.env['PATH']].join(delimiter)
  const here = code.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('svc_test_...', service.account.testKey)
  const { stdout: output } = await execute('bash', ['-eu', '-o', 'pipefail', '-c', here], {
    cwd: work,
    env: { ...variables, PATH },
  })
  return { work, output }
}

const shellOf = (page: string, from = '') =>
  blocks.filter((block) => block.page === page && block.language === 'sh' && block.before.includes(from))

for (const [page, from, results] of [
  ['docs/start.md', '', ['small.jpg', 'result.jpg']],
  ['README.md', '\n## Call the API\n', ['small.jpg']],
] as const) {
  test(`the code samples of ${page} convert a local file to a small upright image`, async () => {
    const code = shellOf(page, from).filter(({ code }) => !/\bnp[mx] /.test(code))
    assert.ok(code.length >= 1)
    const { work, output } = await paste(page.replaceAll('/', '-'), code.map((block) => block.code).join('\n'), {})
    for (const result of results) {
      const { width, height, format } = await sharp(join(work, result)).metadata()
      assert.deepEqual([width, height, format], [800, 534, 'jpeg'], result)
    }
    if (page !== 'README.md') return
    const printed = await fetch(output.trim())
    assert.deepEqual([printed.status, printed.headers.get('content-type')], [200, 'image/jpeg'])
  })
}

test('every code sample of the guides to images, text watermarks, uploads, waiting, and retries runs', async () => {
  const { call, finish, account, url } = service
  const source = `${url}/docs/samples/photo.jpg`
  const { id } = await finish('/v1/images/read', { source })
  const [first] = (await call('GET', '/v1/events')).body.data
  const photo = await readFile(sampleFile('photo.jpg'))
  const uploaded = await fetch(`${url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.liveKey}`, 'content-type': 'image/jpeg' },
    body: photo,
  })
  const upload = (await uploaded.json()) as { source: string }
  const variables = { MEDIAMILL_URL: url, MEDIAMILL_API_KEY: account.liveKey, ID: String(id), LAST: first.id }
  for (const page of ['images', 'text-watermarks', 'uploads', 'waiting', 'retries'].map((name) => `docs/${name}.md`)) {
    const code = shellOf(page).flatMap((block) => (block.code.includes('while true') ? [] : block.code))
    assert.ok(code.length > 0, page)
    const known = code
      .join('\n')
      .replaceAll('upload:upl_…', upload.source)
      .replaceAll('https://example.com/clip.mp4', `${url}/docs/samples/clip.mp4`)
      .replaceAll('wait=30', 'wait=2')
    await paste(page.replaceAll('/', '-'), known, variables)
  }
})

const PAGE_NAMES = `declare const upload_url: string
declare const file: File
declare const input: { files: FileList & { 0: File } }
declare const bar: { value: number }
declare const rawBody: string
declare const process: { env: { WEBHOOK_SECRET: string } }
declare const headers: Record<string, string>
`

test('every TypeScript and JavaScript block of the documentation passes type checking', async () => {
  const compiled = join(folder, 'typescript')
  await mkdir(compiled)
  await symlink(join(root, 'node_modules'), join(compiled, 'node_modules'))
  const files = new Map<string, string>()
  for (const block of of('ts').filter(({ page }) => page.startsWith('docs/recipes/'))) files.set(at(block), block.code)
  const library = await readFile(join(root, 'packages/sdk/README.md'), 'utf8')
  files.set('packages/sdk/README.md', readmeProgram(library, /^const mediamill = /m))
  for (const block of of('js')) {
    const parts = block.code.includes('tus.') ? "import * as tus from 'tus-js-client'\n" : ''
    const known = block.code.includes('isOurs(')
      ? '// @ts-nocheck run by webhooks-page.test.ts\n'
      : block.code.includes('new Uppy(')
        ? '// @ts-nocheck Uppy is no dependency; resumable-uploads.test.ts sends the same calls\n'
        : ''
    files.set(at(block), `${known}${parts}${PAGE_NAMES}${block.code}\nexport {}\n`)
  }
  for (const [name, code] of files) await writeFile(join(compiled, `${name.replaceAll(/[^\w-]/g, '-')}.ts`), code)
  const paths = {
    '@mediamill/sdk': [join(root, 'packages/sdk/src/index.ts')],
    '@mediamill/sdk/webhooks': [join(root, 'packages/sdk/src/webhooks.ts')],
  }
  const compilerOptions = {
    noUnusedLocals: false,
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    paths,
  }
  const config = join(compiled, 'tsconfig.json')
  await writeFile(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['./*.ts'] }),
  )
  await writeFile(join(compiled, 'package.json'), '{ "type": "module" }')
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { encoding: 'utf8' })
  assert.equal(stdout, '')
})

const hasPython = spawnSync('python3', ['-c', 'import tomllib']).status === 0

test('every Python and TOML block of the documentation has valid syntax', {
  skip: !hasPython && 'no python3 of 3.11 or newer',
}, () => {
  const program = `import ast, json, sys, tomllib
for place, language, code in json.load(sys.stdin):
    try: ast.parse(code) if language == 'python' else tomllib.loads(code)
    except Exception as error: print(place, error)`
  const given = [...of('python'), ...of('toml')].map((block) => [at(block), block.language, block.code])
  assert.ok(given.length > 20)
  const { stdout, stderr } = spawnSync('python3', ['-c', program], { input: JSON.stringify(given), encoding: 'utf8' })
  assert.deepEqual([stdout, stderr], ['', ''])
})
