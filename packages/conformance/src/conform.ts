import { OperatorError } from '@mediamill/contract/domain/errors'
import { Caller } from './kit/caller.ts'
import type { Need } from './kit/check.ts'
import type { Keys } from './kit/kit.ts'
import { Kit } from './kit/kit.ts'
import { startReceiver } from './kit/receiver.ts'
import type { Outcome } from './run-checks.ts'
import { runChecks } from './run-checks.ts'

export type ConformOptions = {
  baseUrl: string
  key: string
  keys: Keys
  secret?: string | undefined
  /** The `host:port` at which this machine receives calls. The service calls it at the URL `reachedAt`. */
  listenOn?: string | undefined
  reachedAt?: string | undefined
  only?: RegExp | undefined
  isShort: boolean
  lanes: number
  stopsEarly?: boolean
  onOutcome?: (outcome: Outcome) => void
}

export type Conformance = { outcomes: Outcome[]; calls: number; ms: number; spentMicroUsd: number }

/** Checks a deployment against the API reference. Throws `OperatorError` for a wrong URL or key. */
export async function conform(options: ConformOptions): Promise<Conformance> {
  const startedAt = performance.now()
  await using stack = new AsyncDisposableStack()
  const { baseUrl, key, keys, secret, listenOn } = options
  const caller = new Caller(baseUrl, key)
  const { status, body: account } = await caller.call('GET', '/v1/account').catch((cause: unknown) => {
    throw new OperatorError(`${baseUrl} does not respond like a Mediamill server.`, { cause })
  })
  if (status !== 200)
    throw new OperatorError(`${baseUrl} returned ${status} for the key: ${account?.error?.message ?? 'no reason'}`)
  const receiver = listenOn === undefined ? undefined : stack.use(await startReceiver(listenOn, options.reachedAt))
  const kit = new Kit(caller, keys, account, { ...(secret !== undefined && { secret }), receiver })

  const missing = new Set<Need>()
  for (const name of ['test', 'other', 'free', 'poor', 'suspended', 'revoked', 'small'] as const) {
    if (keys[name] === undefined) missing.add(name)
  }
  if (account.livemode !== true) missing.add('live')
  if (account.tier !== 'paid') missing.add('paid')
  if (receiver === undefined) missing.add('receiver')
  if (secret === undefined) missing.add('secret')
  if (options.isShort) missing.add('time')
  if (!(await hasSamples(kit))) missing.add('samples')
  const most = Math.max(1, Math.floor(account.limits.concurrent_requests / 2))
  const outcomes = await runChecks(kit, {
    missing,
    lanes: Math.min(options.lanes, most),
    ...(options.only !== undefined && { only: options.only }),
    ...(options.stopsEarly !== undefined && { stopsEarly: options.stopsEarly }),
    ...(options.onOutcome !== undefined && { onOutcome: options.onOutcome }),
  })
  const { body: after } = await caller.call('GET', '/v1/account')
  const spentMicroUsd = Number(account.balance?.micro_usd) - Number(after?.balance?.micro_usd)
  return { outcomes, calls: caller.calls, ms: Math.round(performance.now() - startedAt), spentMicroUsd }
}

/** Returns whether the service accepts its samples as sources. This requires that `baseUrl` equals its `BASE_URL`. */
async function hasSamples(kit: Kit): Promise<boolean> {
  const { body } = await kit.call('GET', '/v1/account', { key: null })
  const { status } = await kit.call('GET', kit.sample('photo.jpg'), { key: null })
  return status === 200 && String(body?.error?.doc_url).startsWith(`${kit.caller.baseUrl}/docs/`)
}
