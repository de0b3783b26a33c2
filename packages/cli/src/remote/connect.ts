import { OperatorError } from '@mediamill/contract/domain/errors'
import type { Account as AccountDetails } from '@mediamill/sdk/src/api-types'
import { environmentVariable } from '@mediamill/sdk/src/environment'
import type { Mediamill } from '@mediamill/sdk/src/mediamill'
import { trimBaseUrl } from '@mediamill/sdk/src/transport/base-url'
import type { WaitNotice } from '@mediamill/sdk/src/transport/throttle'
import type { Command } from 'commander'
import type { Profiles } from '../profiles/profiles.ts'
import { DEFAULT_PROFILE, readProfiles } from '../profiles/profiles.ts'
import { describeWait } from '../terminal/describe-wait.ts'
import { UsageError } from '../usage-error.ts'

export type ServiceOptions = { url?: string; profile?: string }

export function addServiceOptions(command: Command): void {
  command
    .option('--url <url>', 'URL of the server (default: MEDIAMILL_URL, or the profile)')
    .option('--profile <name>', 'profile saved by mediamill login')
}

export type Account = { url: string; apiKey: string }

/** The retries of a call in a batch, enough for a restart of the service. */
const BATCH_RETRIES = 12

function reportWait(notice: WaitNotice): void {
  const text = describeWait(notice)
  if (text !== undefined) process.stderr.write(`${text}\n`)
}

export async function connect(
  options: ServiceOptions,
  { isBatch = false, onWait = reportWait }: { isBatch?: boolean; onWait?: (notice: WaitNotice) => void } = {},
): Promise<{ service: Mediamill; account: Account }> {
  const account = await accountOf(options)
  const { Mediamill } = await import('@mediamill/sdk/src/mediamill')
  const maxRetries = isBatch ? BATCH_RETRIES : 2
  return { account, service: new Mediamill({ baseUrl: account.url, apiKey: account.apiKey, maxRetries, onWait }) }
}

/** Returns the URL and the key to use. The key of a profile is sent only to the URL of the same profile. */
export async function accountOf(options: ServiceOptions): Promise<Account> {
  const profiles = await readProfiles()
  const named = options.profile === undefined ? undefined : profileNamed(options.profile, profiles)
  const fallback = named ?? profiles[DEFAULT_PROFILE]
  const url = checkUrl(options.url ?? named?.url ?? environmentVariable('MEDIAMILL_URL') ?? fallback?.url)
  if (named !== undefined) {
    if (named.url !== url) throw new UsageError(`--profile ${options.profile} is for ${named.url}: leave out --url.`)
    return { url, apiKey: named.api_key }
  }
  const known = [fallback, ...Object.values(profiles)].find(
    (profile) => profile !== undefined && sameUrl(profile.url, url),
  )
  const apiKey = environmentVariable('MEDIAMILL_API_KEY') ?? known?.api_key
  if (apiKey !== undefined) return { url, apiKey }
  throw new OperatorError(`There is no key for ${url}: run mediamill login ${url}, or set MEDIAMILL_API_KEY.`)
}

function profileNamed(name: string, profiles: Profiles) {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found !== undefined) return found
  const known = Object.keys(profiles)
  const there = known.length === 0 ? 'There are no profiles yet' : `Profiles: ${known.join(', ')}`
  throw new UsageError(
    `The profile ${name} does not exist. ${there}. To create it, run mediamill login URL --profile ${name}.`,
  )
}

/** Checks the URL of a service. Removes `/v1`, because the paths of calls start with `/v1`. */
export function checkUrl(text: string | undefined): string {
  if (text === undefined) {
    throw new OperatorError('No server is set: run mediamill login https://media.example.com, or set MEDIAMILL_URL.')
  }
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw new UsageError(`${text} is not an http or https URL.`)
  return trimBaseUrl(text)
}

const sameUrl = (one: string, other: string) => new URL(one).href === new URL(other).href

export async function retrieveAccount(service: Mediamill): Promise<AccountDetails> {
  try {
    return await service.account.retrieve()
  } catch (error) {
    const { ApiError } = await import('@mediamill/sdk/src/errors/api-error')
    if (!(error instanceof ApiError) || error.code !== 'key_restricted') throw error
    throw new OperatorError(
      `${error.message} This command needs a key that can read the account: the endpoints of the key must include account, and create_only must be off.`,
    )
  }
}
