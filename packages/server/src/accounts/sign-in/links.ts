import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import { DAY_MS } from '@mediamill/contract/lib/moment'
import type { LinkRow } from '../../db/accounts/sign-in-links.ts'
import { insertLink } from '../../db/accounts/sign-in-links.ts'
import type { Runner } from '../../db/connection/connect.ts'
import type { Author } from '../audit.ts'
import { audited } from '../audit.ts'
import { hashToken, newToken } from './token.ts'

/** How long a sign-in link is valid (console.sign_in.1). */
export const LINK_LIFE_MS = 15 * 60_000
export const INVITATION_LIFE_MS = 3 * DAY_MS

export type SignInLink = { url: string; expiresAt: Date }

/** The account or operator that a link signs in. For an operator, `accountId` is the account to show first. */
export type LinkTarget =
  | { kind: 'account'; accountId: number; email?: string }
  | { kind: 'operator'; accountId?: number; name?: string }
  | { kind: 'sign_up'; name: string; email: string }

export async function makeSignInLink(
  sql: Runner,
  baseUrl: string,
  author: Author,
  target: LinkTarget,
  lifeMs: number = LINK_LIFE_MS,
): Promise<SignInLink> {
  const token = newToken()
  const row: LinkRow = { name: madeBy(author), email: null, accountId: null, ...target }
  const mailbox = row.email === null ? null : (readEmailAddress(row.email)?.mailbox ?? null)
  const change = {
    accountId: row.accountId,
    action: target.kind === 'sign_up' ? 'invitation.made' : 'sign_in_link.made',
    subject: row.email,
    detail: { kind: target.kind, ...(target.kind === 'operator' && { name: row.name }) },
  }
  const expiresAt = await audited(sql, author, change, (tx) =>
    insertLink(tx, { ...row, mailbox, hash: hashToken(token), lifeMs }),
  )
  return { url: linkUrl(baseUrl, token), expiresAt }
}

function madeBy({ actor, name }: Author): string | null {
  if (actor === 'operator') return `a link of operator ${name ?? ''}`.trim()
  return actor === 'command' ? 'mediamill console' : null
}

/** Builds a sign-in link. The token is in the fragment, which browsers do not send to servers. */
const linkUrl = (baseUrl: string, token: string) => `${baseUrl}/console/#token=${token}`
