import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import { accountsWithEmail, findAccount } from '../../db/accounts/accounts.ts'
import type { LinkKind } from '../../db/accounts/sign-in-links.ts'
import { countMailed } from '../../db/accounts/sign-in-links.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { Author } from '../audit.ts'
import type { SignInLink } from './links.ts'
import { INVITATION_LIFE_MS, LINK_LIFE_MS, makeSignInLink } from './links.ts'

/** Hands a mail to whoever sends it. */
export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>

/** What mailing a link takes. */
export type Mailing = { sql: Sql; baseUrl: string; send: SendMail }

/** Links of one kind that are mailed to one mailbox within 15 minutes. */
const MAX_MAILED = 5
/** Accounts of one address that get a link each when one is requested. */
const MAX_ACCOUNTS = 3

const AUTHOR: Author = { actor: 'service', sessionId: null }

/**
 * Mails a link for each account with this e-mail address, to the address that the account has. Returns whether a mail was
 * sent; the caller must not reveal it.
 */
export async function mailSignInLinks({ sql, baseUrl, send }: Mailing, email: string): Promise<boolean> {
  let isSent = false
  for (const accountId of (await accountsWithEmail(sql, email)).slice(0, MAX_ACCOUNTS)) {
    const account = await findAccount(sql, accountId)
    if (account === undefined || account.suspended) continue
    // The account's own address, never the one that was typed: the two may only look alike.
    const { email: own, name } = account
    // wall: mails to one address without end
    if (await isOverQuota(sql, 'account', own)) return isSent
    const { url } = await makeSignInLink(sql, baseUrl, AUTHOR, { kind: 'account', accountId, email: own })
    await send({ to: deliverTo(own), subject: 'Sign in to Mediamill', text: signInText(`${name} (${accountId})`, url) })
    isSent = true
  }
  return isSent
}

/** Mails a link that opens an account. To an address that has one, a link that signs in to it. */
export async function mailSignUp(mailing: Mailing, { name, email }: { name: string; email: string }): Promise<boolean> {
  const { sql, baseUrl, send } = mailing
  if ((await accountsWithEmail(sql, email)).length > 0) return await mailSignInLinks(mailing, email)
  if (await isOverQuota(sql, 'sign_up', email)) return false
  const { url } = await makeSignInLink(sql, baseUrl, AUTHOR, { kind: 'sign_up', name, email })
  await send({ to: deliverTo(email), subject: 'Open your Mediamill account', text: signUpText(url, '15 minutes') })
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
  await send?.({ to: deliverTo(email), subject: 'Your Mediamill account', text: signUpText(link.url, 'three days') })
  return link
}

/** Links to sign in and links to sign up are counted apart: a stranger's sign-ups keep nobody from signing in. */
async function isOverQuota(sql: Sql, kind: LinkKind, email: string): Promise<boolean> {
  const mailbox = readEmailAddress(email)?.mailbox
  return mailbox !== undefined && (await countMailed(sql, { kind, mailbox, withinMs: LINK_LIFE_MS })) >= MAX_MAILED
}

const deliverTo = (email: string) => readEmailAddress(email)?.deliverTo ?? email

const NOT_YOU = 'If you did not ask for this, do nothing: the link signs in nobody who does not open it.'

const signInText = (account: string, url: string) =>
  `Open the link and press its button. It works once, within 15 minutes.\n\n${account}:\n${url}\n\n${NOT_YOU}\n`

const signUpText = (url: string, time: string) =>
  `Open the link and press its button: that opens your account. It works once, within ${time}.\n\n${url}\n\n${NOT_YOU}\n`
