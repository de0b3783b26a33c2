import { ApiError } from '@mediamill/contract/domain/errors'
import type { AccountRow } from '../../db/accounts/accounts.ts'
import { findAccount } from '../../db/accounts/accounts.ts'
import type { KeyRow } from '../../db/accounts/keys.ts'
import { findKey } from '../../db/accounts/keys.ts'
import type { SessionOwner, SessionRow } from '../../db/accounts/sessions.ts'
import { findSession, insertSession, listSessions, noteSessionUse, revokeSession } from '../../db/accounts/sessions.ts'
import type { LinkRow } from '../../db/accounts/sign-in-links.ts'
import { findLink, useLink } from '../../db/accounts/sign-in-links.ts'
import type { Runner, Sql } from '../../db/connection/connect.ts'
import { transact, waitForDisk } from '../../db/connection/transaction.ts'
import type { Author } from '../audit.ts'
import { audited } from '../audit.ts'
import { accountSuspended } from '../authenticate.ts'
import { createAccount } from '../create-account.ts'
import { hashKey, isKey } from '../key.ts'
import { keyRestricted } from '../restrictions.ts'
import { hashToken, isToken, newToken } from './token.ts'

export type { SessionRow } from '../../db/accounts/sessions.ts'

/** A new console session. The cookie contains the token, and the database contains its hash. */
type NewSession = { token: string; session: SessionRow }

const NOTE_AFTER_MS = 60_000

export type Credential =
  | { kind: 'link'; hash: Buffer; link: LinkRow; account: AccountRow | undefined }
  | { kind: 'key'; key: KeyRow; account: AccountRow }

/** The browser and client address of a sign-in. `previous` is the browser's earlier session, which the sign-in ends. */
type Arrival = { userAgent: string; client: string; previous: SessionRow | undefined }

/** Checks the token of a sign-in link. The link stays unused. Throws `link_not_valid` and `account_suspended`. */
export async function checkLink(sql: Sql, token: string): Promise<Extract<Credential, { kind: 'link' }>> {
  const hash = hashToken(token)
  const link = isToken(token) ? await findLink(sql, hash) : undefined
  if (link === undefined) throw linkNotValid()
  const account = link.accountId === null ? undefined : await findAccount(sql, link.accountId)
  if (link.kind !== 'operator' && account?.suspended === true) throw accountSuspended()
  return { kind: 'link', hash, link, account }
}

export async function checkKey(sql: Sql, text: string): Promise<Extract<Credential, { kind: 'key' }>> {
  const key = isKey(text) ? await findKey(sql, Buffer.from(hashKey(text), 'hex')) : undefined
  if (key === undefined || key.revokedAt !== null) {
    throw new ApiError('invalid_api_key', 'This API key is not valid, or it was revoked. Use another key.')
  }
  // A session would have more permissions than the restricted key.
  if (key.restrictions !== null) throw keyRestricted('This key is restricted, so it cannot sign in to the console.')
  const account = await findAccount(sql, key.accountId)
  if (account === undefined || account.suspended) throw accountSuspended()
  return { kind: 'key', key, account }
}

/** Creates a session. Throws `link_not_valid` for a used link, and `conflict` if a sign-up's address has an account. */
export async function signIn(sql: Sql, secretKey: string, credential: Credential, by: Arrival): Promise<NewSession> {
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    const opening = credential.kind === 'key' ? ofKey(credential.key) : await ofLink(tx, secretKey, credential.hash, by)
    const opened = await openSession(tx, { ...opening, userAgent: by.userAgent, client: by.client })
    const { previous } = by
    if (previous !== undefined && (await revokeSession(tx, ownerOf(previous), previous.id))) {
      const change = { accountId: previous.accountId, action: 'session.ended', subject: String(previous.id) }
      await audited(tx, authorOf(previous), { ...change, detail: { replaced_by: opened.session.id } }, async () => true)
    }
    return opened
  })
}

type Opening = Pick<SessionRow, 'kind' | 'accountId' | 'name'> & { keyId: number | null }

const ofKey = ({ id, accountId, name }: KeyRow): Opening => ({ kind: 'key', accountId, keyId: id, name })

async function ofLink(tx: Runner, secretKey: string, hash: Buffer, by: Arrival): Promise<Opening> {
  const link = await useLink(tx, hash)
  if (link === undefined) throw linkNotValid()
  const kind = link.kind === 'operator' ? 'operator' : 'account'
  if (link.kind === 'sign_up') {
    return { kind, accountId: await openAccount(tx, secretKey, link, by.client), keyId: null, name: link.email }
  }
  return { kind, accountId: link.accountId, keyId: null, name: link.email ?? link.name }
}

async function openAccount(tx: Runner, secretKey: string, { name, email }: LinkRow, client: string): Promise<number> {
  const author = { actor: 'account', sessionId: null, name: email, client } as const
  return await audited(
    tx,
    author,
    { accountId: null, action: 'account.opened', subject: email },
    async (_tx, known) => {
      const account = { name: name ?? email ?? '', email: email ?? '', isSignUp: true }
      const { id } = await createAccount(tx, secretKey, account)
      known({ accountId: id })
      return id
    },
  )
}

async function openSession(
  tx: Runner,
  opening: Opening & Pick<SessionRow, 'userAgent' | 'client'>,
): Promise<NewSession> {
  const token = newToken()
  const session = await insertSession(tx, { ...opening, hash: hashToken(token) })
  const change = {
    accountId: opening.accountId,
    action: 'session.opened',
    subject: String(session.id),
    detail: { user_agent: opening.userAgent },
  }
  await audited(tx, authorOf(session), change, async () => true)
  return { token, session }
}

export const authorOf = ({ kind, id, name, client }: SessionRow): Author => ({
  actor: kind,
  sessionId: id,
  name,
  client,
})

export async function sessionOf(sql: Sql, token: string): Promise<SessionRow | undefined> {
  const session = isToken(token) ? await findSession(sql, hashToken(token)) : undefined
  if (session !== undefined && Date.now() - session.lastUsedAt.getTime() > NOTE_AFTER_MS) {
    void noteSessionUse(sql, session.id).catch(() => undefined)
  }
  return session
}

const ownerOf = ({ kind, accountId }: SessionRow): SessionOwner =>
  kind === 'operator' || accountId === null ? 'operator' : { accountId }

export async function visibleSessions(sql: Sql, session: SessionRow): Promise<SessionRow[]> {
  return await listSessions(sql, ownerOf(session), session.id)
}

/** Ends session `id` if it has the same owner as `session`. Returns `false` if session `id` is not open. */
export async function endSession(sql: Sql, session: SessionRow, author: Author, id: number): Promise<boolean> {
  const change = { accountId: session.accountId, action: 'session.ended', subject: String(id) }
  const isEnded = await audited(sql, author, change, async (tx) => {
    return (await revokeSession(tx, ownerOf(session), id)) || undefined
  })
  return isEnded === true
}

function linkNotValid(): ApiError {
  return new ApiError(
    'link_not_valid',
    'This sign-in link was already used, or it has expired. Request a new link, or run: mediamill console',
  )
}
