import { findKey } from '../../db/accounts/keys.ts'
import type { SessionOwner, SessionRow } from '../../db/accounts/sessions.ts'
import { findSession, insertSession, listSessions, noteSessionUse, revokeSession } from '../../db/accounts/sessions.ts'
import type { LinkRow } from '../../db/accounts/sign-in-links.ts'
import { useLink } from '../../db/accounts/sign-in-links.ts'
import type { Runner, Sql } from '../../db/connection/connect.ts'
import { transact, waitForDisk } from '../../db/connection/transaction.ts'
import { ApiError } from '../../domain/errors.ts'
import { audited } from '../audit.ts'
import { createAccount } from '../create-account.ts'
import { hashKey, isKey } from '../key.ts'
import { hashToken, isToken, newToken } from './token.ts'

export type { SessionKind, SessionRow } from '../../db/accounts/sessions.ts'

/** A session that was opened: its token goes into the cookie, and is kept nowhere. */
export type NewSession = { token: string; session: SessionRow }

/** A use is noted when the last one is this old. */
const NOTE_AFTER_MS = 60_000

/**
 * Signs in by a link, which is used up. A link of a new account opens it.
 *
 * Throws `link_not_valid` for one that was used, is over, or is none of ours.
 */
export async function signInByLink(sql: Sql, secretKey: string, token: string, userAgent: string): Promise<NewSession> {
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    const link = isToken(token) ? await useLink(tx, hashToken(token)) : undefined
    // wall: a sign-in without a link that works
    if (link === undefined) throw linkNotValid()
    const kind = link.kind === 'operator' ? 'operator' : 'account'
    const accountId = link.kind === 'sign_up' ? await openAccount(tx, secretKey, link) : link.accountId
    return await openSession(tx, { kind, accountId, keyId: null, userAgent })
  })
}

async function openAccount(tx: Runner, secretKey: string, { name, email }: LinkRow): Promise<number> {
  const author = { actor: 'account', sessionId: null } as const
  return await audited(
    tx,
    author,
    { accountId: null, action: 'account.opened', subject: email },
    async (_tx, known) => {
      const { id } = await createAccount(tx, secretKey, { name: name ?? email ?? '', email: email ?? '' })
      known({ accountId: id })
      return id
    },
  )
}

/** Signs in with an API key, for as long as the key lives. Throws `invalid_api_key`. */
export async function signInByKey(sql: Sql, key: string, userAgent: string): Promise<NewSession> {
  const row = isKey(key) ? await findKey(sql, Buffer.from(hashKey(key), 'hex')) : undefined
  // wall: a sign-in with a key that is not valid
  if (row === undefined || row.revokedAt !== null) {
    throw new ApiError('invalid_api_key', 'This API key is not valid, or it was revoked. Use another key.')
  }
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    return await openSession(tx, { kind: 'key', accountId: row.accountId, keyId: row.id, userAgent })
  })
}

type Opening = Pick<SessionRow, 'kind' | 'accountId' | 'userAgent'> & { keyId: number | null }

async function openSession(tx: Runner, opening: Opening): Promise<NewSession> {
  const token = newToken()
  const session = await insertSession(tx, { ...opening, hash: hashToken(token) })
  const author = { actor: opening.kind, sessionId: session.id }
  const change = {
    accountId: opening.accountId,
    action: 'session.opened',
    subject: String(session.id),
    detail: { user_agent: opening.userAgent },
  }
  await audited(tx, author, change, async () => true)
  return { token, session }
}

/** The session of a cookie's token; its use is noted beside. `undefined`: it is over, or there is none. */
export async function sessionOf(sql: Sql, token: string): Promise<SessionRow | undefined> {
  const session = isToken(token) ? await findSession(sql, hashToken(token)) : undefined
  if (session !== undefined && Date.now() - session.lastUsedAt.getTime() > NOTE_AFTER_MS) {
    void noteSessionUse(sql, session.id).catch(() => undefined)
  }
  return session
}

/** Whose sessions somebody sees: an operator's those of operators, an account's those of the account. */
export const ownerOf = ({ kind, accountId }: SessionRow): SessionOwner =>
  kind === 'operator' || accountId === null ? 'operator' : { accountId }

/** The open sessions that this one may see. */
export async function sessionsBeside(sql: Sql, session: SessionRow): Promise<SessionRow[]> {
  return await listSessions(sql, ownerOf(session))
}

/** Ends a session, this one or one beside it. It is dead with the next call. `false`: there is none to end. */
export async function endSession(sql: Sql, session: SessionRow, id: number): Promise<boolean> {
  const author = { actor: session.kind, sessionId: session.id }
  const change = { accountId: session.accountId, action: 'session.ended', subject: String(id) }
  return await transact(sql, async (tx) => {
    await waitForDisk(tx)
    if (!(await revokeSession(tx, ownerOf(session), id))) return false
    await audited(tx, author, change, async () => true)
    return true
  })
}

function linkNotValid(): ApiError {
  return new ApiError(
    'link_not_valid',
    'This sign-in link was used, or its time is over. Ask for a new one, or run: mediamill console',
  )
}
