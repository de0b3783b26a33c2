/**
 * Compares memory and time of uploads with minimal Node.js servers: `node lab/bench/uploads.ts [--megabytes 500]
 * [--rounds 5] [--bucket]`. Linux only.
 *
 * The servers of `upload-floors.ts` alternate with the service. Memory is measured with one upload of 2 GB (`--large`). With
 * `--bucket`, the store is an S3 server on this machine, otherwise a folder.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SECRET_KEY } from '../support/line.ts'
import { freePort } from '../support/process.ts'
import { startRole } from '../support/role-process.ts'
import { startS3rver, useCredentials } from '../support/s3-server.ts'
import { startService } from '../support/service.ts'
import { FLOORS, startUploadFloors } from './upload-floors.ts'

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '500' },
    rounds: { type: 'string', default: '5' },
    large: { type: 'string', default: '2000' },
    bucket: { type: 'boolean', default: false },
  },
})
const [megabytes, rounds, large] = [Number(values.megabytes), Number(values.rounds), Number(values.large)]

await using stack = new AsyncDisposableStack()
const bucket = values.bucket ? stack.use(await startS3rver()) : undefined
if (bucket !== undefined) useCredentials(bucket)
const service = stack.use(await startService({ workers: false }))
await service.sql`update accounts set tier = 'paid', requests_per_minute = 1000 where id = ${service.account.id}`
const floors = stack.use(await startUploadFloors(service.dataDir))
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
const uploads = `http://127.0.0.1:${port}/v1/uploads`
const file = join(service.dataDir, 'zeros')
await writeFile(file, '')
const key = `Authorization: Bearer ${service.account.liveKey}`

type Sent = { seconds: number; cpuSeconds: number; id?: string }

/** Sends a body with curl. Returns the CPU time of the receiving process. */
async function send(url: string, pid: number, size: number): Promise<Sent> {
  await truncate(file, size * 1e6)
  const before = cpuSeconds(pid)
  const startedAt = performance.now()
  const curl = spawn('curl', ['-sSf', '-T', file, '-X', 'POST', '-H', 'Expect:', '-H', key, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const answer = Array.fromAsync(curl.stdout.setEncoding('utf8'))
  const [code] = await once(curl, 'exit')
  if (code !== 0) throw new Error(`curl ended with ${String(code)}`)
  const seconds = (performance.now() - startedAt) / 1000
  return { seconds, cpuSeconds: cpuSeconds(pid) - before, ...JSON.parse((await answer).join('')) }
}

async function upload(size: number): Promise<Sent> {
  const sent = await send(uploads, api.child.pid ?? 0, size)
  await fetch(`${uploads}/${sent.id}`, { method: 'DELETE', headers: { authorization: key.slice(15) } })
  return sent
}

// proc(5): times are counted in hundredths of a second on every Linux that Node runs on.
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const memoryMb = (line: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`^${line}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${api.child.pid}/status`, 'latin1'))?.[1]) /
  1024

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN
const round = (value: number) => Number(value.toFixed(2))
const print = (row: object) => void process.stdout.write(`${JSON.stringify(row)}\n`)

// The first upload loads libraries, such as the S3 client, which must not be measured.
await upload(20)
const before = memoryMb('VmRSS')
const { seconds } = await upload(large)
const store = bucket === undefined ? 'folder' : 'bucket'
print({ store, megabytes: large, seconds: round(seconds), grownMb: Math.round(memoryMb('VmHWM') - before), atMost: 64 })

const taken: Record<string, Sent[]> = {}
for (let turn = 0; turn < rounds; turn += 1) {
  for (const floor of FLOORS) (taken[floor] ??= []).push(await send(floors.url(floor), floors.pid, megabytes))
  ;(taken['service'] ??= []).push(await upload(megabytes))
}
const mine = taken['service'] ?? []
for (const [name, sent] of Object.entries(taken)) {
  print({
    name,
    megabytesPerSecond: Math.round(megabytes / median(sent.map((one) => one.seconds))),
    cpuSeconds: round(median(sent.map((one) => one.cpuSeconds))),
    // Both from the same turn, so that other load slows down both.
    speedOfService: round(median(sent.map((one, turn) => one.seconds / (mine[turn]?.seconds ?? Number.NaN)))),
  })
}
