import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { aliveWorker, RETENTION_MS, succeeded } from '@mediamill/lab/support/request-rows'
import { sharedService } from '@mediamill/lab/support/service'
import { afterFile } from '@mediamill/lab/support/shared'
import { claim } from '../../src/requests/claim.ts'
import { settle } from '../../src/requests/settle.ts'

const root = join(import.meta.dirname, '../../../..')
const run = promisify(execFile)

const service = await sharedService({ workers: false })

// The client can only import its dependencies from a folder inside the project.
await mkdir(join(root, 'tmp'), { recursive: true })
const folder = await mkdtemp(join(root, 'tmp/client-'))
afterFile(() => rm(folder, { recursive: true }))

const description = join(folder, 'openapi.json')
await writeFile(description, JSON.stringify((await service.call('GET', '/v1/openapi.json', { key: null })).body))
await run(join(root, 'node_modules/.bin/oazapfts'), [description, join(folder, 'client.ts')])

/** A program with the generated client. It compiles only if each value has the type in the OpenAPI description. */
const USE = `
import * as client from './client.ts'

export async function walk(baseUrl: string, key: string, finish: () => Promise<void>): Promise<string[]> {
  client.defaults.baseUrl = baseUrl
  client.defaults.headers = { authorization: \`Bearer \${key}\` }
  const seen: string[] = []
  const { data: account } = await client.getAccount()
  if (!('limits' in account)) throw new Error(account.error.code)
  seen.push(account.tier, account.balance.amount)
  const body: client.ImagesProcessBody = {
    source: 'https://1.1.1.1/a.jpg',
    operations: [{ type: 'resize', width: 10, height: 10 }, { type: 'compress', quality: 80 }],
    output: { format: 'webp' },
    metadata: { order: '1' },
  }
  const accepted = await client.imagesProcess(body, { idempotencyKey: 'walk' })
  if (accepted.status !== 202) throw new Error(JSON.stringify(accepted))
  seen.push(accepted.data.status)
  const replay = await client.imagesProcess(body, { idempotencyKey: 'walk' })
  seen.push(String(replay.status))
  await finish()
  const read = await client.getRequest(accepted.data.id)
  if (read.status !== 200) throw new Error(JSON.stringify(read))
  const request = read.data
  if (request.status !== 'succeeded' || request.endpoint !== 'images/process') throw new Error(request.status)
  seen.push(request.status, request.price.amount, request.result.files[0]?.format ?? '', request.result.data.format)
  const late = await client.abortRequest(accepted.data.id)
  if (late.status === 409) seen.push(late.data.error.code)
  const wrong = await client.listRequests({ limit: 101 })
  if (wrong.status === 422) seen.push(wrong.data.error.errors?.[0]?.code ?? '')
  const usage = await client.getUsage({ groupBy: 'endpoint' })
  if (usage.status === 200 && usage.data.group_by === 'endpoint')
    seen.push(...usage.data.data.map((row) => \`\${row.endpoint} \${row.spent}\`))
  const { data: operations } = await client.listOperations()
  if ('data' in operations) seen.push(operations.data.image.formats[0] ?? '')
  return seen
}
`

async function compile(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text)
  const settings = {
    extends: '../../tsconfig.json',
    compilerOptions: {
      noUnusedLocals: false,
      noUnusedParameters: false,
      erasableSyntaxOnly: false,
      exactOptionalPropertyTypes: false,
      noUncheckedIndexedAccess: true,
      lib: ['es2024', 'dom'],
    },
    include: [name],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder]).catch(
    (error: { stdout: string }) => error,
  )
  return stdout
}

test('a client generated from the OpenAPI description compiles, and its types reject a wrong value and a value of a wrong type [api.versions.2]', async () => {
  assert.equal(await compile('use.ts', USE), '')
  assert.match(await compile('wrong.ts', USE.replace("'webp'", "'bmp'")), /"bmp"/)
  assert.match(await compile('wrong.ts', USE.replace('quality: 80', "quality: '80'")), /'string' is not assignable/)
})

test('a program with the client that is generated from the OpenAPI description runs every step, from reading the account to a result with its charge [api.versions.2]', async () => {
  await compile('use.ts', USE)
  const { walk } = await import(join(folder, 'use.ts'))
  const seen = await walk(service.url, service.account.liveKey, async () => {
    const taken = await claim(service.sql, await aliveWorker(service.sql), 'image', [])
    assert.ok(taken && (await settle(service.sql, taken.lease, succeeded(), RETENTION_MS)))
  })
  assert.deepEqual(seen, [
    'paid',
    '1001.000000',
    'queued',
    '200',
    'succeeded',
    '0.002000',
    'jpg',
    'WEBP',
    'request_finished',
    'out_of_range',
    'images/process 0.002000',
    'jpg',
  ])
})
