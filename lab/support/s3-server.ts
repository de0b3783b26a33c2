import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { freePort, freePortRun } from './process.ts'
import { skipReason } from './skip-reason.ts'

export type S3Server = AsyncDisposable & {
  endpoint: string
  bucket: string
  keyId: string
  secret: string
  storageUrl: string
  client: S3Client
}

type RestartableS3Server = S3Server & { stop: () => Promise<void>; start: () => Promise<void> }

type S3rver = new (options: object) => { run: () => Promise<unknown>; close: () => Promise<void> }

const BUCKET = 'results'

/** The number of ports that Swift needs: proxy, object, container, and account servers, and memcached. */
const SWIFT_PORTS = 5

/** Starts s3rver, an npm package, in this process. It is fast, but accepts any signature. */
export async function startS3rver(): Promise<RestartableS3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'mediamill-s3rver-'))
  const port = await freePort()
  const S3rver = createRequire(import.meta.url)('s3rver') as S3rver
  const options = { address: '127.0.0.1', port, directory, silent: true, configureBuckets: [{ name: BUCKET }] }
  let server: InstanceType<S3rver> | undefined
  const start = async () => {
    server = new S3rver(options)
    await server.run()
  }
  const stop = async () => {
    await server?.close()
    server = undefined
  }
  await start()
  const parts = describe(`http://127.0.0.1:${port}`, 'S3RVER', 'S3RVER')
  return {
    ...parts,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      parts.client.destroy()
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function whyNoSwift(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'Swift needs Linux and root'
  if (!existsSync('/usr/bin/swift-proxy-server') || !existsSync('/usr/bin/memcached'))
    return skipReason('Swift is not installed: scripts/install-test-servers.sh')
  const apart = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/etc/swift'])
  return apart.status === 0 ? undefined : 'this host forbids the mount namespace that Swift gets'
}

/** Starts the system's OpenStack Swift with its s3api. It starts slowly, but checks signatures. */
export async function startSwift(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-swift-'))
  const script = fileURLToPath(new URL('../../scripts/swift.sh', import.meta.url))
  const port = await freePortRun(SWIFT_PORTS)
  const { stdout } = await promisify(execFile)(script, ['start', folder, String(port)], { timeout: 120_000 })
  const parts = describe(stdout.trim(), 'test:tester', 'testing')
  await parts.client.send(new CreateBucketCommand({ Bucket: BUCKET }))
  await allowPages(parts.endpoint)
  return {
    ...parts,
    async [Symbol.asyncDispose]() {
      parts.client.destroy()
      spawnSync(script, ['stop', folder])
    },
  }
}

/** Sets the CORS rule of the bucket through Swift's own API, because s3api has no call for it. */
async function allowPages(endpoint: string): Promise<void> {
  const login = { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' }
  const { headers } = await fetch(`${endpoint}/auth/v1.0`, { headers: login })
  const { ok, status } = await fetch(`${headers.get('x-storage-url')}/${BUCKET}`, {
    method: 'POST',
    headers: {
      'x-auth-token': headers.get('x-auth-token') ?? '',
      'x-container-meta-access-control-allow-origin': '*',
    },
  })
  if (!ok) throw new Error(`Swift returned ${status} for the CORS rule of the bucket.`)
}

function describe(endpoint: string, keyId: string, secret: string): Omit<S3Server, typeof Symbol.asyncDispose> {
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: keyId, secretAccessKey: secret },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    maxAttempts: 10,
  })
  const storageUrl = `s3://${BUCKET}/some/where?endpoint=${encodeURIComponent(endpoint)}`
  return { endpoint, bucket: BUCKET, keyId, secret, storageUrl, client }
}

export function useCredentials({ keyId, secret }: Pick<S3Server, 'keyId' | 'secret'>): void {
  process.env['AWS_ACCESS_KEY_ID'] = keyId
  process.env['AWS_SECRET_ACCESS_KEY'] = secret
}
