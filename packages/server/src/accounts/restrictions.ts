import { keyRestrictions } from '@mediamill/contract/console/key-restrictions'
import { ApiError } from '@mediamill/contract/domain/errors'
import type { KeyRestrictions } from '@mediamill/contract/domain/key-restrictions'
import { callName, readsOnlyOwn } from '@mediamill/contract/domain/key-restrictions'
import { joinList, quoteText } from '@mediamill/contract/lib/format-text'
import { addressBlocks, containsAddress } from '../lib/address-blocks.ts'

export type RestrictedKey = { id: number; restrictions: KeyRestrictions }

/** The parts of a call that a key can restrict. `address` is `undefined` if a proxy did not send the address. */
export type CallShape = { method: string; path: string; origin: string | undefined; address: string | undefined }

/**
 * Calls that a `create_only` key cannot make. All visitors of a web page can share the key, and with these calls, each
 * visitor would see the data of the other visitors.
 */
const OTHERS_DATA: ReadonlySet<string> = new Set(['requests', 'events', 'usage', 'account'])

export function checkCall({ restrictions }: RestrictedKey, call: CallShape, now: Date): void {
  const { method, path, origin } = call
  const { endpoints, templates_only: templates, origins, expires_at: expiresAt } = restrictions
  const { mode_only: isModeOnly, create_only: isCreateOnly } = restrictions
  const unknown = Object.keys(restrictions).find((name) => !Object.hasOwn(keyRestrictions.shape, name))
  if (unknown !== undefined) {
    throw keyRestricted(
      `This key has the restriction ${quoteText(unknown)}, which this version does not support. Upgrade the service, or use another key.`,
    )
  }
  if (expiresAt !== undefined && new Date(expiresAt) <= now) {
    throw keyExpired(expiresAt)
  }
  if (origins !== undefined && (origin === undefined || !origins.includes(origin))) {
    const sent = origin === undefined ? 'the call has no Origin header' : `got ${quoteText(origin)}`
    throw keyRestricted(`This key only works on pages of ${joinList(origins)} (${sent}).`)
  }
  checkAddress(restrictions, call)
  const name = callName(path)
  if (isCreateOnly === true && OTHERS_DATA.has(name)) {
    throw keyRestricted('This key can only create requests. To get the result in the response, send Prefer: wait=30.')
  }
  // Every key can read, wait for, and abort its own requests, and delete their files.
  const isOwnRequest = name === 'requests' && path.includes(':id')
  if (endpoints !== undefined && !endpoints.includes(name) && !isOwnRequest) {
    throw keyRestricted(`This key cannot call ${name}. It can call ${joinList(endpoints)}.`)
  }
  const changesTemplates = name === 'templates' && method !== 'GET' && method !== 'HEAD'
  if (changesTemplates && (isOn(templates) || isCreateOnly === true)) {
    throw keyRestricted('This key can only run templates. Change templates with another key.')
  }
  if (changesTemplates && isModeOnly === true) {
    throw keyRestricted(
      'This key is restricted to one mode, but both modes share the templates. Change templates with another key.',
    )
  }
  if (isModeOnly === true && name === 'events') {
    throw keyRestricted(
      'This key is restricted to one mode, but the event list contains both. Use a key without this restriction.',
    )
  }
}

/** Throws if the address is not allowed. The message omits the allowed addresses: a stolen key must not reveal them. */
function checkAddress({ addresses }: KeyRestrictions, { address }: CallShape): void {
  if (addresses === undefined) return
  const blocks = addressBlocks(addresses.join(','))
  if (address !== undefined && blocks !== undefined && containsAddress(blocks, address)) return
  throw keyRestricted(
    `This key does not work from the address ${address ?? 'of this client, which the proxy did not send'}. The owner of the account can create a key for it.`,
  )
}

export function checkTemplate(key: RestrictedKey | undefined, reference: string | undefined): void {
  const allowed = key?.restrictions.templates_only
  if (!isOn(allowed)) return
  if (reference === undefined) throw keyRestricted(`This key can only run templates${named(allowed)}.`)
  if (Array.isArray(allowed) && !allowed.includes(reference) && !allowed.includes(reference.split('@', 1)[0] ?? '')) {
    throw keyRestricted(`This key cannot run the template ${reference}. It can only run ${joinList(allowed)}.`)
  }
}

const isOn = (templates: KeyRestrictions['templates_only']): templates is true | string[] =>
  templates !== undefined && templates !== false

const named = (templates: true | string[]) => (templates === true ? '' : `: ${joinList(templates)}`)

/** The requests that a caller can access. A field that is `null` is no restriction. */
export type RequestScope = { onlyLivemode: boolean | null; onlyKeyId: number | null }

export function scopeOf(key: RestrictedKey | undefined, livemode: boolean): RequestScope {
  return {
    onlyLivemode: key?.restrictions.mode_only === true ? livemode : null,
    onlyKeyId: key !== undefined && readsOnlyOwn(key.restrictions) ? key.id : null,
  }
}

export function isInScope(
  { livemode, keyId }: { livemode: boolean; keyId: number | null },
  { onlyLivemode, onlyKeyId }: RequestScope,
): boolean {
  return (onlyLivemode === null || livemode === onlyLivemode) && (onlyKeyId === null || keyId === onlyKeyId)
}

export const keyExpired = (at: string) => keyRestricted(`This key expired at ${at}. Use another key.`)

export function keyRestricted(message: string): ApiError {
  return new ApiError('key_restricted', message)
}
