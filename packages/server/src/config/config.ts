import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { MIN_SECRET_KEY_LENGTH, secretKeysOf } from '@mediamill/contract/domain/secret-key'
import { addressBlocks } from '../lib/address-blocks.ts'
import type { AllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { NO_ALLOWED_HOSTS, parseAllowedHosts } from '../outbound/guard/allowed-hosts.ts'
import { CONSOLE_SETTINGS } from './console.ts'
import { DURATION, LIMIT_SETTINGS } from './limits.ts'
import type { Setting } from './parse.ts'
import {
  duration,
  durationOrOff,
  durationUpTo,
  host,
  hosts,
  httpEndpoint,
  integer,
  oneOf,
  optional,
  origins,
  setting,
} from './parse.ts'
import { settingText, variablesOf } from './setting-text.ts'
import { STORAGE_SETTINGS, withDatabaseCa } from './storage.ts'
import { TRACING_SETTINGS } from './tracing.ts'

/** All settings of the service. After a change, run `node scripts/write-operate.ts`. */
export const SETTINGS = {
  host: setting({
    variable: 'HOST',
    fallback: '127.0.0.1',
    value: '127.0.0.1',
    parse: host,
    allowed: 'an IP address or a host name',
    meaning: 'Address that the HTTP API listens on.',
  }),
  port: setting({
    variable: 'PORT',
    fallback: '8080',
    value: 8080,
    ...integer(1, 65_535),
    // A worker reads the port too, because the default of BASE_URL contains it.
    meaning: 'Port that the HTTP API listens on.',
  }),
  metricsPort: optional({
    variable: 'METRICS_PORT',
    fallback: 'unset: none',
    ...integer(1, 65_535),
    meaning: 'Port on `HOST` for the health checks and metrics of a worker.',
    role: 'worker',
  }),
  baseUrl: optional({
    variable: 'BASE_URL',
    fallback: 'http://HOST:PORT',
    parse: httpEndpoint,
    allowed: 'an http or https URL without query and fragment',
    meaning: 'Public URL of the API. Download links start with it.',
  }),
  dataDir: setting({
    variable: 'DATA_DIR',
    fallback: './data',
    value: resolve('data'),
    parse: (text) => resolve(text),
    allowed: 'a path',
    meaning: 'Directory of the embedded database, results, generated secrets, and scratch files.',
  }),
  ...STORAGE_SETTINGS,
  secretKey: optional({
    variable: 'SECRET_KEY',
    fallback: 'generated once under DATA_DIR',
    parse: (text) => (secretKeysOf(text).every((key) => [...key].length >= MIN_SECRET_KEY_LENGTH) ? text : undefined),
    allowed: 'a key of at least 32 characters, or several with commas, current key first',
    meaning: 'Signs links and encrypts webhook secrets. Required with DATABASE_URL.',
    secret: true,
  }),
  allowedPrivateHosts: setting<AllowedHosts>({
    variable: 'ALLOWED_PRIVATE_HOSTS',
    fallback: 'unset: none',
    value: NO_ALLOWED_HOSTS,
    parse: parseAllowedHosts,
    allowed: 'host:port pairs separated by commas',
    meaning: 'Exempt from the public-address and default-port rules. Exact matches only.',
  }),
  blockedNetworks: optional({
    variable: 'BLOCKED_NETWORKS',
    fallback: 'unset: none',
    parse: addressBlocks,
    allowed: 'addresses and CIDR blocks separated by commas, such as 198.51.100.0/24; /0 is not allowed',
    meaning: 'Public networks that sources, destinations, webhooks, and redirects cannot reach.',
  }),
  trustedProxies: optional({
    variable: 'TRUSTED_PROXIES',
    fallback: 'unset: none',
    parse: addressBlocks,
    allowed: 'addresses and CIDR blocks separated by commas, such as 10.0.0.0/8; /0 is not allowed',
    meaning: 'Proxies whose X-Forwarded-For header is trusted.',
    role: 'api',
  }),
  corsOrigins: setting<readonly string[]>({
    variable: 'CORS_ORIGINS',
    fallback: 'unset: none',
    value: [],
    parse: origins,
    allowed: 'origins separated by commas, such as https://app.example.com',
    meaning: 'Origins whose pages may call /v1 from a browser.',
    role: 'api',
  }),
  mcpAllowedDestinations: setting<readonly string[]>({
    variable: 'MCP_ALLOWED_DESTINATIONS',
    fallback: 'unset: none',
    value: [],
    parse: hosts,
    allowed: 'host names separated by commas, such as bucket.s3.eu-central-1.amazonaws.com',
    meaning: 'Hosts that MCP tools may send results and webhooks to.',
    role: 'api',
  }),
  ...CONSOLE_SETTINGS,
  retentionMs: setting({
    variable: 'RETENTION',
    fallback: '7d',
    value: 7 * 86_400_000,
    parse: duration,
    allowed: DURATION,
    meaning: 'How long results are kept after a request ends.',
    role: 'worker',
  }),
  workerConcurrency: setting({
    variable: 'WORKER_CONCURRENCY',
    fallback: 'the number of cores',
    value: availableParallelism(),
    ...integer(0, 1_024),
    meaning: 'Jobs per worker and lane, limited by memory and open files; 0: no jobs.',
    role: 'worker',
  }),
  drainTimeoutMs: setting({
    variable: 'DRAIN_TIMEOUT',
    fallback: '30s',
    value: 30_000,
    parse: durationUpTo(7),
    allowed: `${DURATION}, at most 7d`,
    meaning: 'How long a stopping worker waits for its jobs. Unfinished jobs are requeued.',
    // An API server always uses the default, which is longer than the 25 s in which it still sends responses.
    role: 'worker',
  }),
  videoSplitThresholdMs: setting<number>({
    variable: 'VIDEO_SPLIT_THRESHOLD',
    fallback: '2m',
    value: 120_000,
    parse: durationOrOff,
    allowed: `${DURATION}, or off`,
    meaning: 'Longer videos are processed in segments, which survive a restart; off disables this.',
    role: 'worker',
  }),
  warmEngines: setting({
    variable: 'WARM_ENGINES',
    ...oneOf('image', 'all', 'none'),
    meaning: 'Engine processes to keep after an idle minute: one for images, all, or none.',
    role: 'worker',
  }),
  isolation: setting({
    variable: 'ISOLATION',
    ...oneOf('auto', 'require-sandbox', 'process'),
    meaning: 'Sandbox of the engines: the strongest available, at least a sandbox, or plain processes.',
    role: 'worker',
  }),
  firstAccount: setting({
    variable: 'FIRST_ACCOUNT',
    ...oneOf('print', 'file'),
    meaning: 'Print the first account on stdout, or write it to DATA_DIR/first-account.json.',
    role: 'serve',
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    ...oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    fallback: 'info',
    value: 'info',
    meaning: 'Minimum level of log lines.',
  }),
  ...LIMIT_SETTINGS,
  ...TRACING_SETTINGS,
}

type Values = { readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['value'] }

export type Config = Omit<Values, 'baseUrl'> & { readonly baseUrl: string }

export class ConfigError extends OperatorError {
  override name = 'ConfigError'
}

/** Returns the environment of this process. Only this file reads it. */
export const environment = (): Readonly<Record<string, string | undefined>> => process.env

export const SECRET_VARIABLES: readonly string[] = Object.values<Setting>(SETTINGS)
  .filter(({ secret }) => secret === true)
  .flatMap(variablesOf)

type OwnRole = 'api' | 'worker'

const isReadBy = ({ role }: Setting, reader: OwnRole | undefined) =>
  reader === undefined || role === undefined || role === reader

/** Reads the settings. A variable that is set but empty counts as unset. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = environment(),
  reader?: OwnRole,
): Config {
  const wrong: string[] = []
  const values = Object.entries<Setting>(SETTINGS).map(([name, declared]) => {
    if (!isReadBy(declared, reader)) return [name, declared.value]
    try {
      const { text, source } = settingText(declared, env)
      return [name, text === '' ? declared.value : parsed(declared, text, source)]
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      wrong.push(error.message)
      return [name, undefined]
    }
  })
  const read = Object.fromEntries(values) as Values
  if (read.databaseUrl !== undefined && read.secretKey === undefined && wrong.length === 0) {
    wrong.push('SECRET_KEY must be set when DATABASE_URL is: every process needs the same, at least 32 characters.')
  }
  if (read.signUp === 'open' && read.smtpUrl === undefined && wrong.length === 0) {
    wrong.push('SIGN_UP=open requires SMTP_URL: new users confirm their address by email.')
  }
  if ((read.stripeSecretKey === undefined) !== (read.stripeWebhookSecret === undefined) && wrong.length === 0) {
    wrong.push('Set both STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or neither.')
  }
  if (wrong.length > 0) throw new ConfigError(wrong.join(' '))
  return Object.freeze({
    ...read,
    ...withDatabaseCa(read),
    baseUrl: read.baseUrl ?? `http://${inUrl(read.host)}:${read.port}`,
  })
}

function parsed({ parse, allowed, secret, shown }: Setting, text: string, source: string): unknown {
  let reason = `it must be ${allowed}`
  try {
    const value = parse(text)
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    reason = error.message
  }
  const printed = secret === true ? shown?.(text) : text
  const value = printed === undefined ? 'a value that is not shown' : JSON.stringify(printed)
  throw new RangeError(`${source} is ${value}; ${reason}.`)
}

const inUrl = (name: string) => (name.includes(':') ? `[${name}]` : name)

/** Variables of the system, Node.js, native libraries, the PostgreSQL client, and the AWS SDK. */
const SYSTEM_VARIABLES =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|TZ|TMPDIR|TERM|COLORTERM|(?:FORCE|NO)_COLOR|PG[A-Z]+|(?:LC|SSL_CERT|OPENSSL|NODE|UV|MALLOC|LD|DYLD|OTEL|AWS)_\w+)$/

export function environmentOf(role: OwnRole, env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const [own, others] = [new Set<string>(), new Set<string>()]
  for (const declared of Object.values<Setting>(SETTINGS))
    for (const name of variablesOf(declared)) (isReadBy(declared, role) ? own : others).add(name)
  const isNeeded = (name: string) => own.has(name) || (SYSTEM_VARIABLES.test(name) && !others.has(name))
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNeeded(name)))
}

/** Removes secrets and variables that this role does not need, so that child processes and bugs cannot leak them. */
export function clearEnvironment(role: OwnRole): void {
  const needed = environmentOf(role, process.env)
  for (const name of Object.keys(process.env))
    if (!Object.hasOwn(needed, name) || SECRET_VARIABLES.includes(name)) delete process.env[name]
}
