import type { WebhookEvent } from './api-types.ts'
import { MediamillError } from './errors/mediamill-error.ts'

export type * from './api-types.ts'
export { isMediamillError, MediamillError } from './errors/mediamill-error.ts'

/** A webhook is not from the service, was changed, or has a timestamp outside the tolerance. */
export class SignatureError extends MediamillError {
  override name = 'SignatureError'
}

/** The headers of a webhook, from `fetch`, from Node.js, or as a plain object. */
export type WebhookHeaders =
  | { get: (name: string) => string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** Options of `unwrap()`. */
export type UnwrapOptions = {
  /** The maximum difference between the time of the signature and now, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined
  /** The current Unix time, in seconds. Set it in tests. */
  now?: number | undefined
}

/** The signatures of one scheme. They sign `prefix` and the body. One matching signature is enough. */
type Claim = { time: string; prefix: string; isStandard: boolean; given: string[] }

/**
 * Verifies a webhook and returns its event. Throws `SignatureError` if the webhook is not from the service.
 * `body` is the raw text or bytes of the call, not a parsed body. While you rotate the secret, pass both secrets.
 * Verifies `Service-Signature` and the Standard Webhooks headers if present, and requires at least one of the two.
 * @example const event = await unwrap(await call.text(), call.headers, process.env.WEBHOOK_SECRET)
 */
export async function unwrap(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { now = Date.now() / 1000, toleranceSeconds = 300 }: UnwrapOptions = {},
): Promise<WebhookEvent> {
  const bytes = bytesOf(body)
  // An unset variable can be an empty secret.
  const secrets = (typeof secret === 'string' ? [secret] : (secret ?? [])).filter(Boolean)
  if (secrets.length === 0)
    throw new SignatureError('No webhook secret was passed: the secret is undefined or an empty string.')
  const claims = claimsOf(headers)
  if (claims.length === 0) {
    throw new SignatureError('The headers contain no signature: neither Service-Signature nor webhook-signature.')
  }
  for (const claim of claims) {
    const isRecent = /^\d{1,12}$/.test(claim.time) && Math.abs(now - Number(claim.time)) <= toleranceSeconds
    if (!isRecent)
      throw new SignatureError(`The signature's timestamp is outside the tolerance of ${toleranceSeconds} seconds.`)
    const expected = await Promise.all(secrets.map(async (one) => await sign(claim, bytes, one)))
    if (!claim.given.some((given) => expected.some((one) => isEqual(given, one)))) {
      throw new SignatureError('The signature does not match. Check the secret, and pass the unparsed body.')
    }
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
}

/** The parameters of `generateTestHeaders()`. */
export type TestWebhook = {
  body: string | Uint8Array | ArrayBuffer
  secret: string
  /** The id of the event. Default: a random id. */
  id?: string | undefined
  /** The Unix time of the signature, in seconds. Default: now. */
  time?: number | undefined
}

/**
 * Creates the headers that the service would send with a body. Use them to test a webhook receiver.
 * @example await unwrap(body, await generateTestHeaders({ body, secret }), secret)
 */
export async function generateTestHeaders({ body, secret, id, time }: TestWebhook): Promise<Record<string, string>> {
  const bytes = bytesOf(body)
  const t = String(time ?? Math.floor(Date.now() / 1000))
  const eventId = id ?? `evt_${crypto.randomUUID().replaceAll('-', '')}`
  const service = await sign({ prefix: `${t}.`, isStandard: false }, bytes, secret)
  const standard = await sign({ prefix: `${eventId}.${t}.`, isStandard: true }, bytes, secret)
  return {
    'content-type': 'application/json; charset=utf-8',
    'service-signature': `t=${t},v1=${service}`,
    'service-event-id': eventId,
    'webhook-id': eventId,
    'webhook-timestamp': t,
    'webhook-signature': `v1,${standard}`,
  }
}

function claimsOf(headers: WebhookHeaders): Claim[] {
  const claims: Claim[] = []
  const service = header(headers, 'service-signature')
  if (service !== undefined) {
    const parts = service.split(',')
    const values = (name: string) =>
      parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []))
    const time = values('t')[0] ?? ''
    claims.push({ time, prefix: `${time}.`, isStandard: false, given: values('v1') })
  }
  const standard = header(headers, 'webhook-signature')
  if (standard !== undefined) {
    const time = header(headers, 'webhook-timestamp') ?? ''
    const given = standard.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []))
    claims.push({ time, prefix: `${header(headers, 'webhook-id')}.${time}.`, isStandard: true, given })
  }
  return claims
}

/** Signs a body. Returns base64 for Standard Webhooks, otherwise hex. */
async function sign({ prefix, isStandard }: Pick<Claim, 'prefix' | 'isStandard'>, body: Uint8Array, secret: string) {
  const encoder = new TextEncoder()
  // `Service-Signature` uses the whole secret as its key. Standard Webhooks uses the decoded bytes after `whsec_`.
  const raw = isStandard ? fromBase64(secret.replace(/^whsec_/, '')) : encoder.encode(secret)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const start = encoder.encode(prefix)
  const message = new Uint8Array(start.length + body.length)
  message.set(start)
  message.set(body, start.length)
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, message))
  if (isStandard) return btoa(String.fromCharCode(...mac))
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function fromBase64(text: string) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    throw new SignatureError('The webhook secret is invalid: it must be `whsec_` followed by base64.')
  }
}

/** Compares two texts in constant time. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < other.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : (found as readonly string[] | undefined)?.[0]
}

function bytesOf(body: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return body
  throw new SignatureError('The body must be the raw text or bytes of the webhook. Read it before any body parser.')
}
