import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SECRET_KEY } from '../test/support/line.ts'
import { freePort } from '../test/support/process.ts'
import { startRole } from '../test/support/role-process.ts'
import { startS3rver, useCredentials } from '../test/support/s3-server.ts'
import { startService } from '../test/support/service.ts'

/**
 * What an upload of 2 GB costs in memory and time, beside curl to a bare server of Node that throws the bytes away. With
 * `bucket` the store is an S3 server on this machine, else a folder; Linux only.
 */
const megabytes = Number(process.argv[2] ?? 2000)
const inBucket = process.argv[3] === 'bucket'

await using stack = new AsyncDisposableStack()
const bucket = inBucket ? stack.use(await startS3rver()) : undefined
if (bucket !== undefined) useCredentials(bucket)
const service = stack.use(await startService({ workers: false }))
await service.sql`update accounts set tier = 'paid' where id = ${service.account.id}`

const throwAway = createServer((call, answer) => {
  call.resume().on('end', () => answer.end('{}'))
}).listen(0, '127.0.0.1')
await once(throwAway, 'listening')
stack.defer(() => void throwAway.close())

const port = await freePort()
const api = stack.use(
  await startRole('api', {
    PORT: String(port),
    DATABASE_URL: service.databaseUrl,
    SECRET_KEY,
    DATA_DIR: service.dataDir,
    ...(bucket !== undefined && {
      STORAGE_URL: bucket.storageUrl,
      AWS_ACCESS_KEY_ID: bucket.keyId,
      AWS_SECRET_ACCESS_KEY: bucket.secret,
    }),
  }),
)

const file = join(service.dataDir, 'zeros')
await writeFile(file, '')

/** Seconds that curl takes to send so many megabytes. */
async function send(url: string, size: number): Promise<number> {
  await truncate(file, size * 1e6)
  const key = `Authorization: Bearer ${service.account.liveKey}`
  const startedAt = performance.now()
  const args = ['-sSf', '-o', '/dev/null', '-T', file, '-X', 'POST', '-H', 'Expect:', '-H', key, url]
  const [code] = await once(spawn('curl', args, { stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`curl ended with ${String(code)}`)
  return (performance.now() - startedAt) / 1000
}

const memoryMb = (line: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`^${line}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${api.child.pid}/status`, 'latin1'))?.[1]) /
  1024

const uploads = `http://127.0.0.1:${port}/v1/uploads`
// What is loaded at the first use, the library of the bucket for one, is not what an upload takes.
await send(uploads, 20)
const before = memoryMb('VmRSS')
const seconds = await send(uploads, megabytes)
const bareSeconds = await send(`http://127.0.0.1:${(throwAway.address() as AddressInfo).port}/`, megabytes)
process.stdout.write(
  `${JSON.stringify({
    megabytes,
    store: inBucket ? 'bucket' : 'folder',
    grownMb: Math.round(memoryMb('VmHWM') - before),
    seconds: Number(seconds.toFixed(1)),
    bareSeconds: Number(bareSeconds.toFixed(1)),
  })}\n`,
)
