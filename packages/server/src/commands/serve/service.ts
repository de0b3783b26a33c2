import { join } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import type { NewAccount } from '../../accounts/create-account.ts'
import { createAccount } from '../../accounts/create-account.ts'
import { makeSignInLink } from '../../accounts/sign-in/links.ts'
import { prepareRole } from '../../app/database.ts'
import type { ServiceConfig } from '../../app/installation.ts'
import { openInstallation, secretKeyFile } from '../../app/installation.ts'
import { takeLock } from '../../app/postgres/lock.ts'
import { COMPILE_CACHE, prepareDataDir } from '../../app/postgres/paths.ts'
import type { Config } from '../../config/config.ts'
import { environmentOf, readConfig, SETTINGS } from '../../config/config.ts'
import { misspeltSettings } from '../../config/misspelt.ts'
import { hasAccounts } from '../../db/accounts/accounts.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { connect } from '../../db/connection/connect.ts'
import type { Logger } from '../../telemetry/log.ts'
import { createLog } from '../../telemetry/log.ts'
import { SupervisedRole } from './supervise.ts'

type Service = {
  config: ServiceConfig
  address: string
  /** `stop` lets running work finish first. `kill` does not. */
  stop: () => Promise<void>
  kill: () => void
}

export type FirstAccount = NewAccount & { consoleUrl?: string }

type ServiceOptions = {
  onFirstStart: (account: FirstAccount, config: ServiceConfig, log: Logger) => Promise<void>
}

/** Starts the whole service in one process tree. If a part fails, stops everything and throws `OperatorError`. */
export async function startService(env: NodeJS.ProcessEnv, options: ServiceOptions): Promise<Service> {
  const config = readConfig(env)
  const log = createLog(config.logLevel, 'serve')
  for (const line of misspeltSettings(env)) log.warn(line)
  await using stack = new AsyncDisposableStack()
  stack.use(lockDataDir(config))
  const installation = stack.use(await openInstallation(config, (line) => log.warn(line)))
  const { databaseUrl } = await prepareRole(installation.config, log, { setting: 'PORT', port: config.port })
  const settled = {
    DATA_DIR: config.dataDir,
    // The embedded database has no certificate, so DATABASE_CA must not apply to it.
    ...(config.databaseUrl === undefined && { DATABASE_URL: databaseUrl, DATABASE_CA: '' }),
    // Passes the secret key in a file, because the user's other processes can read the environment.
    ...(config.secretKey === undefined && { SECRET_KEY_FILE: secretKeyFile(config.dataDir) }),
  }
  const childEnv = { ...env, ...settled, NODE_COMPILE_CACHE: COMPILE_CACHE }
  const api = new SupervisedRole('api', environmentOf('api', childEnv), SETTINGS.drainTimeoutMs.value, log)
  const worker = new SupervisedRole('worker', environmentOf('worker', childEnv), config.drainTimeoutMs, log)
  const roles = [api, worker]
  stack.defer(async () => void (await Promise.all(roles.map((role) => role.stop()))))
  // If the API server fails first, its failure is reported, and the failure of the worker is ignored.
  worker.ready.catch(() => undefined)
  const { address } = await api.ready
  // Creates the account only after the port is open, so that a failed start prints no keys.
  await ensureAccount({ ...installation.config, databaseUrl }, log, options.onFirstStart)
  await worker.ready
  const running = stack.move()
  return {
    config: installation.config,
    address: address ?? installation.config.baseUrl,
    stop: () => running.disposeAsync(),
    kill() {
      for (const role of roles) role.kill()
    },
  }
}

function lockDataDir(config: Config): Disposable {
  const dataDir = prepareDataDir(config.dataDir)
  const lock = takeLock(join(dataDir, 'serve.lock'))
  if (lock !== undefined) return lock
  throw new OperatorError(`Another mediamill serve is running on ${dataDir}: stop it, or choose another DATA_DIR.`)
}

async function ensureAccount(
  config: ServiceConfig,
  log: Logger,
  onFirstStart: ServiceOptions['onFirstStart'],
): Promise<void> {
  await using sql = connect(config.databaseUrl, { connections: 1, applicationName: 'mediamill serve' })
  if (await hasAccounts(sql)) return
  const account = await createAccount(sql, config.secretKey, { name: 'First account', email: 'owner@localhost' })
  await onFirstStart({ ...account, ...(await firstLink(sql, config, account)) }, config, log)
}

/** Creates the first sign-in link. The person who starts the service is an operator and owns the first account. */
async function firstLink(sql: Sql, config: ServiceConfig, { id }: NewAccount): Promise<{ consoleUrl?: string }> {
  if (config.console === 'off') return {}
  const author = { actor: 'service', sessionId: null } as const
  const { url } = await makeSignInLink(sql, config.baseUrl, author, { kind: 'operator', accountId: id })
  return { consoleUrl: url }
}
