import { readEmailAddress } from '@mediamill/contract/domain/email-address'
import { accountsWithEmail, findAccount, lockMailbox } from '../../db/accounts/accounts.ts'
import type { LinkKind } from '../../db/accounts/sign-in-links.ts'
import { countMailed } from '../../db/accounts/sign-in-links.ts'
import type { Sql } from '../../db/connection/connect.ts'
import { transact } from '../../db/connection/transaction.ts'
import type { Author } from '../audit.ts'
import type { LinkTarget, SignInLink } from './links.ts'
import { INVITATION_LIFE_MS, LINK_LIFE_MS, makeSignInLink } from './links.ts'

export type SendMail = (mail: { to: string; subject: string; text: string }) => Promise<void>

type Mailing = { sql: Sql; baseUrl: string; send: SendMail }

/** The maximum number of links of one kind that a mailbox gets within 15 minutes. */
const MAX_MAILED = 5
const MAX_ACCOUNTS = 3

const AUTHOR: Author = { actor: 'service', sessionId: null }

/** Emails sign-in links. Returns whether an email was sent, which the caller must not reveal. */
export async function mailSignInLinks({ sql, baseUrl, send }: Mailing, email: string): Promise<boolean> {
  let isSent = false
  for (const accountId of (await accountsWithEmail(sql, email)).slice(0, MAX_ACCOUNTS)) {
    const account = await findAccount(sql, accountId)
    if (account === undefined || account.suspended) continue
    // Uses the stored address. The typed address may look the same, but belong to another person.
    const { email: own, name } = account
    const link = await linkInQuota({ sql, baseUrl }, { kind: 'account', accountId, email: own })
    if (link === undefined) return isSent
    const text = signInText(`${name} (${accountId})`, link.url)
    await send({ to: deliverTo(own), subject: 'Sign in to Mediamill', text })
    isSent = true
  }
  return isSent
}

export async function mailSignUp(mailing: Mailing, { name, email }: { name: string; email: string }): Promise<boolean> {
  const { sql, baseUrl, send } = mailing
  if ((await accountsWithEmail(sql, email)).length > 0) return await mailSignInLinks(mailing, email)
  const link = await linkInQuota({ sql, baseUrl }, { kind: 'sign_up', name, email })
  if (link === undefined) return false
  await send({
    to: deliverTo(email),
    subject: 'Create your Mediamill account',
    text: signUpText(link.url, '15 minutes'),
  })
  return true
}

export async function invite(
  { sql, baseUrl }: Omit<Mailing, 'send'>,
  author: Author,
  { name, email }: { name: string; email: string },
): Promise<SignInLink> {
  return await makeSignInLink(sql, baseUrl, author, { kind: 'sign_up', name, email }, INVITATION_LIFE_MS)
}

export async function mailInvitation(send: SendMail, { url }: SignInLink, email: string): Promise<void> {
  await send({ to: deliverTo(email), subject: 'Your Mediamill account', text: signUpText(url, 'three days') })
}

/**
 * Creates a link, or returns `undefined` if the mailbox got too many. Each kind of link has its own limit, so that
 * links for sign-ups cannot use up the limit for sign-ins.
 */
async function linkInQuota(
  { sql, baseUrl }: Omit<Mailing, 'send'>,
  target: LinkTarget & { kind: LinkKind; email: string },
): Promise<SignInLink | undefined> {
  return await transact(sql, async (tx) => {
    const mailbox = readEmailAddress(target.email)?.mailbox
    if (mailbox !== undefined) {
      // Locks the mailbox, so that the count includes the links of all processes.
      await lockMailbox(tx, mailbox)
      if ((await countMailed(tx, { kind: target.kind, mailbox, withinMs: LINK_LIFE_MS })) >= MAX_MAILED)
        return undefined
    }
    return await makeSignInLink(tx, baseUrl, AUTHOR, target)
  })
}

const deliverTo = (email: string) => readEmailAddress(email)?.deliverTo ?? email

const NOT_YOU = 'If you did not request this email, ignore it. The link works only if you open it.'

const signInText = (account: string, url: string) =>
  `Open the link and press the button to sign in. The link works once and expires after 15 minutes.\n\n${account}:\n${url}\n\n${NOT_YOU}\n`

const signUpText = (url: string, time: string) =>
  `Open the link and press the button to create your account. The link works once, within ${time}.\n\n${url}\n\n${NOT_YOU}\n`

export const isRecipientRejected = (error: unknown): boolean =>
  error instanceof Error &&
  'responseCode' in error &&
  'command' in error &&
  error.command === 'RCPT TO' &&
  Number(error.responseCode) >= 500
