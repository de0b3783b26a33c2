import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { sharedService } from '@mediamill/lab/support/service'

// Each generator needs its own TypeScript version, so it has a folder with its own lock file.
const root = join(import.meta.dirname, '../../../..')
const run = promisify(execFile)
const clients = join(root, 'packages/sdk/test/clients')
const installed = (name: string) => existsSync(join(clients, name, 'node_modules/typescript'))
const skipped = (name: string) => (installed(name) ? false : 'not installed: scripts/install-test-clients.sh')

/** A program that uses a generated client. `wrong` contains changes after which the program must not compile. */
type Page = { use: string; wrong: Record<string, [was: string, becomes: string]> }

const FETCH: Page = {
  use: `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.ts'

type MediaRequest = components['schemas']['MediaRequest']

export const facts = (request: MediaRequest): string => {
  if (request.status === 'failed') return request.error.message
  if (request.status !== 'succeeded') return request.status
  if (request.endpoint === 'images/read') return request.result.data.frames + ' ' + request.result.data.orientation
  if (request.endpoint === 'documents/process') return String(request.result.data.page_size.width)
  return request.result.files[0]?.url ?? ''
}

export const told = (event: components['schemas']['WebhookEvent']): string =>
  event.type === 'request.failed' ? event.data.error.code : event.data.price.amount

export async function walk(baseUrl: string, key: string, source: string): Promise<string[]> {
  const client = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer ' + key } })
  const seen: string[] = []
  const accepted = await client.POST('/v1/images/read', { body: { source } })
  if (accepted.data === undefined) throw new Error(accepted.error.error.message)
  seen.push(accepted.data.status)
  const processed = await client.POST('/v1/images/process', {
    params: { header: { 'Idempotency-Key': 'walk' } },
    body: { source, operations: [{ type: 'orient' }, { type: 'resize', width: 80, height: 60 }], metadata: { order: '1' } },
  })
  if (processed.data === undefined) throw new Error(processed.error.error.code)
  await client.POST('/v1/documents/snapshot', { body: { source: 'https://1.1.1.1/a.pdf' } })
  for (let id = accepted.data.id; ; ) {
    const { data } = await client.GET('/v1/requests/{id}', { params: { path: { id } } })
    if (data === undefined) throw new Error('no request')
    if (data.status === 'queued' || data.status === 'processing') continue
    seen.push(facts(data))
    break
  }
  const usage = await client.GET('/v1/usage', { params: { query: { group_by: 'endpoint' } } })
  if (usage.data?.group_by === 'endpoint') seen.push(...usage.data.data.map((row) => row.endpoint))
  const list = await client.GET('/v1/requests', { params: { query: { limit: 1 } } })
  seen.push(String(list.data?.has_more))
  const wrong = await client.GET('/v1/requests', { params: { query: { limit: 101 } } })
  seen.push(wrong.error?.error.errors?.[0]?.code ?? '')
  return seen
}
`,
  wrong: {
    'a fact of another endpoint': ['request.result.data.frames', 'request.result.data.page_count'],
    'a result before the status is known': ["if (request.status !== 'succeeded') return request.status", ''],
    'a missing parameter': ['width: 80, height: 60', 'width: 80'],
    'an unknown operation': ["type: 'orient'", "type: 'sepiaa'"],
  },
}

const HEY: Page = {
  use: `
import { type ApiError, getRequest, imagesProcess, imagesRead, type ImagesProcessData, type MediaRequest } from './client'
import { client } from './client/client.gen'

export const facts = (request: MediaRequest): string => {
  if (request.status === 'failed') return request.error.message
  if (request.status !== 'succeeded') return request.status
  if (request.endpoint === 'images/read') return request.result.data.frames + ' ' + request.result.data.orientation
  return request.result.files[0]?.url ?? ''
}

export async function walk(baseUrl: string, key: string, source: string): Promise<string[]> {
  client.setConfig({ baseUrl, auth: key })
  const call: ImagesProcessData = {
    url: '/v1/images/process',
    headers: { 'Idempotency-Key': 'walk' },
    body: { source, operations: [{ type: 'resize', width: 80, height: 60 }], output: { format: 'webp' } },
  }
  const processed = await imagesProcess(call)
  const refused: ApiError | undefined = processed.error
  if (processed.data === undefined) throw new Error(refused?.error.message)
  const read = await imagesRead({ body: { source } })
  if (read.data?.status === 'succeeded') return [String(read.data.result.data.frames)]
  const { data } = await getRequest({ path: { id: processed.data.id } })
  return data === undefined ? [] : [facts(data)]
}
`,
  wrong: {
    'a fact of another endpoint': ['request.result.data.frames', 'request.result.data.page_count'],
    'a missing parameter': ['width: 80, height: 60', 'width: 80'],
    'a format that is not there': ["format: 'webp'", "format: 'bmp'"],
  },
}

const service = await sharedService()

async function openFolder(name: string): Promise<string> {
  await mkdir(join(root, 'tmp'), { recursive: true })
  const folder = await mkdtemp(join(root, `tmp/${name}-`))
  await symlink(join(clients, name, 'node_modules'), join(folder, 'node_modules'))
  await cp(join(clients, name, 'package.json'), join(folder, 'package.json'))
  const { body } = await service.call('GET', '/v1/openapi.json', { key: null })
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(body))
  return folder
}

async function compile(folder: string, text: string): Promise<string> {
  await writeFile(join(folder, 'use.ts'), text)
  const compilerOptions = {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    noUncheckedIndexedAccess: true,
    types: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.ts'] }))
  const compiler = join(folder, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error: { stdout: string }) => error)
  return stdout
}

async function judge(folder: string, { use, wrong }: Page): Promise<void> {
  for (const [what, [was, becomes]] of Object.entries(wrong)) {
    assert.ok(use.includes(was), what)
    assert.match(await compile(folder, use.replace(was, becomes)), /error TS/, what)
  }
  assert.equal(await compile(folder, use), '')
}

describe('a client with types from openapi-typescript', { skip: skipped('openapi-typescript') }, () => {
  let folder = ''
  before(async () => {
    folder = await openFolder('openapi-typescript')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('openapi-typescript generates types from the OpenAPI description without a warning; a typical program passes type checking, and a program with type errors does not [api.versions.2]', async () => {
    const generator = join(folder, 'node_modules/openapi-typescript/bin/cli.js')
    const output = await run(process.execPath, [
      generator,
      join(folder, 'openapi.json'),
      '-o',
      join(folder, 'schema.ts'),
    ])
    assert.doesNotMatch(output.stdout + output.stderr, /⚠|warn/i)
    await judge(folder, FETCH)
  })

  test('a client with types from openapi-typescript sends a request and reads the metadata of an image from the result [api.versions.2]', async () => {
    const { walk } = await import(join(folder, 'use.ts'))
    const seen = await walk(service.url, service.account.liveKey, `${service.url}/docs/samples/photo.jpg`)
    const endpoints = ['documents/snapshot', 'images/process', 'images/read']
    assert.deepEqual(seen, ['queued', '1 RightTop', ...endpoints, 'true', 'out_of_range'])
  })
})

describe('a client from @hey-api/openapi-ts', { skip: skipped('hey-api') }, () => {
  let folder = ''
  before(async () => {
    folder = await openFolder('hey-api')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('the client that @hey-api/openapi-ts generates has no duplicate type names; a typical program compiles with it, and a program with type errors does not [api.versions.2]', async () => {
    const generator = join(folder, 'node_modules/@hey-api/openapi-ts/bin/run.js')
    const output = join(folder, 'client')
    await run(process.execPath, [generator, '-i', join(folder, 'openapi.json'), '-o', output], { cwd: folder })
    const types = await readFile(join(output, 'types.gen.ts'), 'utf8')
    const names = [...types.matchAll(/^export type (\w+) =/gm)].map(([, name = '']) => name)
    assert.ok(names.length > 100, String(names.length))
    assert.deepEqual(
      names.filter((name) => /\d$/.test(name) || ['Request', 'Response', 'Error', 'Event'].includes(name)),
      [],
    )
    await judge(folder, HEY)
  })
})
