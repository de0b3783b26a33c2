import { accountsWithEmail, findAccount } from '../../db/accounts/accounts.ts'
import { countMailed } from '../../db/accounts/sign-in-links.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { Author } from '../audit.ts'
import type { SignInLink } from './links.ts'
import { INVITATION_LIFE_MS, LINK_LIFE_MS, makeSignInLink } from './links.ts'

/** Hands a mail to whoever sends it. */
export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>

/** What mailing a link takes. */
export type Mailing = { sql: Sql; baseUrl: string; send: SendMail }

/** Links that are mailed to one address within a quarter of an hour. */
const MOST_MAILED = 5
/** Accounts of one address that get a link by one mail. */
const MOST_ACCOUNTS = 3

const AUTHOR: Author = { actor: 'service', sessionId: null }

/**
 * Mails a link for each account with this e-mail address, as the account has it. Nothing when there is none.
 * Returns whether a mail was sent: whoever asked is not told.
 */
export async function mailSignInLinks({ sql, baseUrl, send }: Mailing, email: string): Promise<boolean> {
  // wall: mails to one address without end
  if ((await countMailed(sql, email, LINK_LIFE_MS)) >= MOST_MAILED) return false
  const lines: string[] = []
  let to = ''
  for (const accountId of (await accountsWithEmail(sql, email)).slice(0, MOST_ACCOUNTS)) {
    const account = await findAccount(sql, accountId)
    if (account === undefined || account.suspended) continue
    to = account.email
    const { url } = await makeSignInLink(sql, baseUrl, AUTHOR, { kind: 'account', accountId, email: to })
    lines.push(`${account.name} (${accountId}):\n${url}`)
  }
  if (lines.length === 0) return false
  await send({ to, subject: 'Sign in to Mediamill', text: signInText(lines) })
  return true
}

/** Mails a link that opens an account. To an address that has one, a link that signs in to it. */
export async function mailSignUp(mailing: Mailing, { name, email }: { name: string; email: string }): Promise<boolean> {
  const { sql, baseUrl, send } = mailing
  if ((await accountsWithEmail(sql, email)).length > 0) return await mailSignInLinks(mailing, email)
  // wall: mails to one address without end
  if ((await countMailed(sql, email, LINK_LIFE_MS)) >= MOST_MAILED) return false
  const { url } = await makeSignInLink(sql, baseUrl, AUTHOR, { kind: 'sign_up', name, email })
  await send({ to: email, subject: 'Open your Mediamill account', text: signUpText(url, '15 minutes') })
  return true
}

/** Invites somebody to open an account. A link of three days, mailed where mail is set up. */
export async function invite(
  { sql, baseUrl, send }: Omit<Mailing, 'send'> & { send: SendMail | undefined },
  author: Author,
  { name, email }: { name: string; email: string },
): Promise<SignInLink> {
  const target = { kind: 'sign_up', name, email } as const
  const link = await makeSignInLink(sql, baseUrl, author, target, INVITATION_LIFE_MS)
  await send?.({ to: email, subject: 'Your Mediamill account', text: signUpText(link.url, 'three days') })
  return link
}

const NOT_YOU = 'If you did not ask for this, do nothing: the link signs in nobody who does not open it.'

const signInText = (lines: readonly string[]) =>
  `Open the link and press its button. It works once, within 15 minutes.\n\n${lines.join('\n\n')}\n\n${NOT_YOU}\n`

const signUpText = (url: string, time: string) =>
  `Open the link and press its button: that opens your account. It works once, within ${time}.\n\n${url}\n\n${NOT_YOU}\n`
