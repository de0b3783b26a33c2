import { createHmac } from 'node:crypto'

/**
 * Returns the signature headers of a delivery: `Service-Signature` (webhooks.signature.1) and Standard Webhooks. While
 * a secret is being replaced, there are two signatures, newest first. The HMAC key of `v1=` is the whole secret, with
 * `whsec_`.
 */
export function signatureHeaders(
  eventId: string,
  body: Buffer,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  if (secrets.length === 0) throw new Error('an account has no webhook secret')
  const t = String(Math.floor(now.getTime() / 1000))
  const service = secrets.map((secret) => `v1=${hmac(secret, `${t}.`, body).toString('hex')}`)
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${hmac(key, `${eventId}.${t}.`, body).toString('base64')}`
  })
  return {
    'Service-Signature': [`t=${t}`, ...service].join(','),
    'webhook-id': eventId,
    'webhook-timestamp': t,
    'webhook-signature': standard.join(' '),
  }
}

function hmac(key: string | Buffer, prefix: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest()
}
