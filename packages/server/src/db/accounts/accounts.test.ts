import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { createAccount } from '../../accounts/create-account.ts'
import { accountsWithEmail, hasMailbox, searchAccounts } from './accounts.ts'

const { sql } = await sharedDatabase()

const named = async (name: string, email: string) => (await createAccount(sql, SECRET_KEY, { name, email })).id

test('an account search returns each account once, newest first, if its name or address matches', async () => {
  const first = await named('Grace', 'hopper@example.com')
  const found = [
    await named('Ada', 'lovelace@example.com'),
    await named('Mary', 'ada.y@example.com'),
    await named('ADA 100%', 'ADA_1@example.com'),
    await named('Adam', 'smith@example.com'),
  ]
  const pages: number[][] = []
  for (let before: number | null = null; pages.length < 9; before = pages.at(-1)?.at(-1) ?? null) {
    const rows = await searchAccounts(sql, { search: 'ada', before, limit: 3 })
    pages.push(rows.map(({ id }) => id))
    if (rows.length < 3) break
  }
  const newest = found.toReversed()
  assert.deepEqual(pages, [newest.slice(0, 3), newest.slice(3)])
  const all = await searchAccounts(sql, { search: null, before: found[0] ?? null, limit: 3 })
  assert.deepEqual(
    all.map(({ id }) => id),
    [first],
  )
  const [byId] = await searchAccounts(sql, { search: String(first), before: null, limit: 3 })
  assert.equal(byId?.id, first)
  assert.equal(
    (await searchAccounts(sql, { search: 'a_a', before: null, limit: 3 })).length,
    0,
    'the search text is not a pattern',
  )
})

test('a lookup by email address returns all accounts with this address in any letter case, oldest first', async () => {
  const ids = [await named('One', 'Twice@example.com'), await named('Two', 'twice@EXAMPLE.com')]
  assert.deepEqual(await accountsWithEmail(sql, 'tWICE@example.com'), ids)
  assert.deepEqual(await accountsWithEmail(sql, 'once@example.com'), [])
})

test('only ASCII letters of an email address are lowercased, in any locale and in older rows', async () => {
  const [folded] = await sql<{ folds: boolean }[]>`select lower('gma\u0130l.com') = 'gmail.com' as folds`
  const locale = `lower() folds here: ${String(folded?.folds)}`
  const look = await named('X', 'victim@gma\u0130l.com')
  const real = await named('Victim', 'victim@gmail.com')
  for (const isOld of [false, true]) {
    if (isOld) await sql`update accounts set email_key = null where id in (${look}, ${real})`
    assert.deepEqual(await accountsWithEmail(sql, 'victim@gmail.com'), [real], locale)
    assert.equal((await accountsWithEmail(sql, 'victim@gma\u0130l.com')).includes(real), false, locale)
    assert.equal(await hasMailbox(sql, 'victim@gmail.com'), true)
    assert.equal(await hasMailbox(sql, 'victi_@gmail.com'), false)
  }
})

test('the lookup of accounts by email address uses an index', async () => {
  await sql`insert into accounts (name, email) select 'Many', 'many' || n || '@example.com' from generate_series(1, 5000) n`
  await sql`analyze accounts`
  const plan = await sql.begin(async (tx) => {
    await tx`set local enable_seqscan = off`
    return await tx`
      explain select id from accounts
      where coalesce(email_key, translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')) collate "C" = 'many7@example.com'`
  })
  assert.match(JSON.stringify(plan), /accounts_by_email_key/)
})
