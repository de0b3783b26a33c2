import { randomBytes } from 'node:crypto'
import { link, lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { codeOf } from '../lib/error-code.ts'
import { unlessMissing } from '../lib/unless-missing.ts'
import { startEmbedded } from './postgres/embedded.ts'

export type ServiceConfig = Config & { readonly databaseUrl: string; readonly secretKey: string }

export type Installation = AsyncDisposable & { config: ServiceConfig }

export async function isInstalled(config: Config): Promise<boolean> {
  if (config.databaseUrl !== undefined) return true
  return await lstat(join(config.dataDir, 'postgres')).then(
    () => true,
    () => false,
  )
}

/** Adds the database URL and the secret key to the settings. Without `DATABASE_URL`, starts the embedded PostgreSQL. */
export async function openInstallation(config: Config, log: (line: string) => void): Promise<Installation> {
  if (config.databaseUrl !== undefined && config.secretKey !== undefined) {
    const complete = { ...config, databaseUrl: config.databaseUrl, secretKey: config.secretKey }
    return { config: complete, [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  await using stack = new AsyncDisposableStack()
  const { url } = stack.use(await startEmbedded(config.dataDir, { log }))
  const secretKey = config.secretKey ?? (await ownSecretKey(config.dataDir))
  const running = stack.move()
  const complete = { ...config, databaseUrl: url, secretKey }
  return { config: complete, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret-key')

/** Reads or creates the secret key in the data folder. Processes that start at the same time get the same key. */
async function ownSecretKey(dataDir: string): Promise<string> {
  const path = secretKeyFile(dataDir)
  const read = () => readFile(path, 'utf8').then((text) => text.trim())
  const known = await unlessMissing(read())
  if (known !== undefined) return known
  await mkdir(dataDir, { recursive: true })
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft, { force: true })
  }
  return await read()
}
