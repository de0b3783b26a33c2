import type { Wall } from './wall.ts'
import { at, inFile, swap, wallsOf } from './wall.ts'

const SIGN_IN = ['packages/server/test/journeys/console/sign-in.test.ts']
const ACCOUNT = ['packages/server/test/journeys/console/account.test.ts']
const GUARD = ['packages/server/test/journeys/console/guard.test.ts']

/** The developer area: who gets in, for how long, from where, and what each may see and change. */
export const CONSOLE: readonly Wall[] = [
  ...wallsOf(SIGN_IN, {
    'console tokens in the clear in the database': swap([
      "createHash('sha256').update(token).digest()",
      'createHash === undefined ? Buffer.of() : Buffer.from(token)',
    ]),
    'a sign-in link that is used twice': swap([' and used_at is null', '']),
    'a session that was ended, or has stood too long': swap(['s.revoked_at is null and ', '']),
    'a session of a revoked key': swap(['(s.key_id is null or (k.id is not null and k.revoked_at is null))', 'true']),
    'another account’s session': swap([' and ${ownedBy(sql, owner)}', '']),
    'a sign-in without a link that works': 'never',
    'a sign-in with a key that is not valid': 'never',
    'the developer area without a session': 'never',
    'what a session of its kind may not do': 'never',
    'another mode than that of the session’s key': 'never',
    'a session that scripts can read, or that other sites send along': swap(['; HttpOnly; SameSite=Lax', '']),
    'tries to sign in without end': 'gone',
  }),
  ...wallsOf(ACCOUNT, {
    'a change without an audit entry': 'gone',
    'another account’s changes': swap(['sql`account_id = ${accountId}`', 'sql`true`']),
    'another account’s failures': swap(['r.account_id = ${accountId}', '${accountId}::bigint > 0']),
    'another account’s key': swap([' and account_id = ${accountId}', '']),
    'another account’s events in the developer area': swap(['e.account_id = ${accountId}', '${accountId}::bigint > 0']),
    'another account’s event sent again': swap(['sql`and e.account_id = ${accountId}`', 'sql``']),
    'another account’s event': 'never',
    'a suspended account in the developer area': 'never',
    'an upload that runs in a page': 'gone',
    // Two statements ask whose it is: either would do.
    'another account’s upload in the developer area': [
      at('another account’s upload', swap([' and u.account_id = ${accountId} and u.livemode = ${livemode}', ''])),
      at(
        'another account’s upload in a request',
        swap([' and u.account_id = ${accountId} and u.livemode = ${livemode}', '']),
      ),
    ],
  }),
  ...wallsOf(['packages/server/test/journeys/console/previews.test.ts'], {
    'a preview that runs in a page': 'gone',
    'a preview of files that were deleted': swap([' || deletedAt.getTime() <= Date.now()', '']),
  }),
  ...wallsOf(GUARD, {
    'another account than the session’s': swap([
      "kind === 'operator' ? textQuery(call, 'account') : undefined",
      "textQuery(call, 'account')",
    ]),
    'another host’s name for the developer area': 'never',
    'a change that another site asks for': 'never',
    'a change in a form’s own words': 'never',
    'other files than those of the build': 'never',
    'pages of the developer area that load or run what is not theirs': 'gone',
    'a referrer that tells of the developer area': 'gone',
  }),
  ...wallsOf(['packages/server/test/journeys/console/payments.test.ts'], {
    'a payment that Stripe did not sign': swap([
      'stripe.webhooks.constructEvent(body, signature, this.#keys.webhookSecret)',
      'JSON.parse(String(body)) as Stripe.Event',
    ]),
    // The event's id and the payment's own reference: either would do.
    'a payment that is booked twice': [
      at('a payment that is booked twice', [
        [' on conflict do nothing', ' on conflict (id) do update set type = excluded.type'],
      ]),
      inFile('packages/server/src/accounts/credit.ts', [
        ['reference === null ? undefined : await findPurchase(tx, id, reference)', 'undefined'],
      ]),
    ],
  }),
  ...wallsOf(['packages/server/test/journeys/console/mail.test.ts'], {
    'mails to one address without end': 'never',
    'mails that are asked for without end': 'gone',
    'accounts that anybody opens where only invitations do': swap([" || signUp !== 'open'", '']),
  }),
  ...wallsOf(['packages/server/src/http/routes/console/pace.test.ts'], {
    'calls of the developer area without end': 'never',
  }),
  ...wallsOf(['packages/server/src/telemetry/log.test.ts'], {
    'sign-in links in the log': 'gone',
  }),
]
