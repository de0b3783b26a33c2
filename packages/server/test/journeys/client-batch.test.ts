import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { Mediamill, openFile } from '@mediamill/sdk/src/index'
import sharp from 'sharp'

const service = await sharedService()
const folder = await sharedFolder('mediamill-client-batch-')

const { url: baseUrl } = service
const { liveKey: apiKey } = service.account

async function images(count: number, name: string): Promise<string[]> {
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = join(folder, `${name}-${index}.png`)
      const background = { r: index * 5, g: name.length * 20, b: 99 }
      await sharp({ create: { width: 8, height: 8, channels: 3, background } })
        .png()
        .toFile(path)
      return path
    }),
  )
}

async function charged(): Promise<{ requests: number; charges: number }> {
  const [row] = await service.sql<{ requests: number; charges: number }[]>`
    select count(*)::int as requests, (count(*) filter (where price > 0))::int as charges from requests`
  return { requests: row?.requests ?? -1, charges: row?.charges ?? -1 }
}

test('with Promise.all, the client finishes all files even if the account has fewer slots than files', async () => {
  await service.sql`update accounts set concurrent_requests = 3 where id = ${service.account.id}`
  const before = await charged()
  const client = new Mediamill({ baseUrl, apiKey })
  const sizes = await Promise.all(
    (await images(40, 'all')).map(async (path) => {
      const request = await client.images
        .process({ source: await openFile(path), operations: [{ type: 'resize', width: 4, height: 4 }] })
        .wait()
      return (await request.result.files[0].bytes()).length
    }),
  )
  assert.equal(sizes.filter((size) => size > 0).length, 40)
  const now = await charged()
  assert.deepEqual([now.requests - before.requests, now.charges - before.charges], [40, 40])
})

test('a batch that is killed and continued after each step makes one request and one charge per file', async () => {
  const before = await charged()
  const paths = await images(3, 'kill')
  const program = join(import.meta.dirname, '../../../../lab/support/batch-program.ts')
  const run = async (killAt: number, isAfter: boolean) => {
    const child = spawn(process.execPath, [program, ...paths], {
      env: {
        ...process.env,
        MEDIAMILL_URL: baseUrl,
        MEDIAMILL_API_KEY: apiKey,
        JOURNAL: join(folder, 'batch.jsonl'),
        KILL_AT: String(killAt),
        KILL_AFTER: isAfter ? 'yes' : 'no',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    return { code, signal, lines: out.trim().split('\n') }
  }
  // The calls of a run: the account, then an upload and a start for each file. A finished file needs one call.
  const kills: [number, boolean][] = [
    [1, true],
    [2, false],
    [2, true],
    [3, false],
    [3, true],
    [4, true],
    [5, true],
  ]
  for (const [at, isAfter] of kills) {
    const { signal } = await run(at, isAfter)
    assert.equal(signal, 'SIGKILL', `call ${at}`)
  }
  const last = await run(0, false)
  assert.deepEqual([last.code, last.lines.length], [0, 3])
  const now = await charged()
  assert.deepEqual([now.requests - before.requests, now.charges - before.charges], [3, 3])
})
