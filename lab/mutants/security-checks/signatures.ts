import type { SecurityCheck } from './remove-check.ts'
import { checksOf, swap } from './remove-check.ts'

export const SIGNATURES: readonly SecurityCheck[] = [
  ...checksOf(['packages/server/src/store/link.test.ts'], {
    'a forged signature': 'gone',
    'a link of one file used for another': swap(['fieldsOf(link)', '[link.id]']),
    'an expired link': swap(["unixSeconds(now) >= Number(expires) ? 'expired' : ", '']),
    'a signature guessed byte by byte': swap(['timingSafeEqual(given, expected', 'given.equals(expected']),
    'a signature guessed by the key that rejects it': swap([
      '.map((key) => {',
      '.map((key, index) => {\n      if (index > 0) return false',
    ]),
    'a signature of one kind of link used for another': swap(['${label} 1', '1']),
    'a signature of one file used for another': swap(['link.fileKey, link.name, String(link.sha256)', '']),
  }),
  ...checksOf(['packages/server/test/journeys/own-results.test.ts'], {
    'a link of another host': 'never',
    'a result as a source without its link': swap([
      "verifyResult(keys, { id, file, expires, key, signature }, now) === 'valid'",
      'true',
    ]),
  }),
  ...checksOf(['packages/server/test/journeys/console/payments.test.ts'], {
    "a payment without Stripe's signature": swap([
      'stripe.webhooks.constructEvent(body, signature, this.#keys.webhookSecret)',
      'JSON.parse(String(body)) as Stripe.Event',
    ]),
  }),
]
