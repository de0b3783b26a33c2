import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { fingerprintOf } from '../lib/key-fingerprint.ts'
import { accept } from '../requests/accept.ts'
import { openDestinations, sealDestinations } from '../requests/destination.ts'
import { readKeyRing } from './key-ring-status.ts'
import { accountContext, seal, unseal } from './seal.ts'
import { countSealed, reseal } from './sealed-values.ts'

const OLD = 'the key that was in force until yesterday'
const NEW = 'the key that has been in force since today'
const LOST = 'the key that its operator has lost for good'

const { sql } = await sharedDatabase()

const account = await openAccount(sql)
await sql`update accounts set balance = 1000000000 where id = ${account.id}`
await sql`delete from webhook_secrets`

async function addSecrets(key: string, number: number, expiresAt: Date | null = null) {
  const sealed = Array.from({ length: number }, (_, index) =>
    seal(key, accountContext(account.id), `whsec_${index}`).value.toString('base64'),
  )
  await sql`
    insert into webhook_secrets (account_id, sealed, sealed_by, expires_at)
    select ${account.id}, decode(sealed, 'base64'), ${fingerprintOf(key)}, ${expiresAt} from unnest(${sealed}::text[]) sealed`
}

test('reseal re-encrypts the values of older keys with the first key of SECRET_KEY, and counts the values that it cannot decrypt [operator.commands.12]', async () => {
  const destination = [{ file: 0, url: 'https://bucket.example/a.jpg', headers: {} }]
  const open = await accept(
    sql,
    acceptable(account.id, { destination: sealDestinations(OLD, account.id, destination) }),
  )
  await accept(sql, acceptable(account.id))
  await addSecrets(OLD, 501)
  await addSecrets(NEW, 2)
  await addSecrets(LOST, 1)
  // Older versions of the program did not store `sealed_by`.
  await sql`
    update webhook_secrets set sealed_by = null
    where id in (select min(id) from webhook_secrets group by sealed_by)`
  await addSecrets(LOST, 5, new Date(0))

  const keys = `${NEW},${OLD}`
  const before = await countSealed(sql, keys)
  assert.deepEqual(before.get(fingerprintOf(OLD)), { webhookSecrets: 501, destinations: 1 })
  assert.deepEqual(before.get(fingerprintOf(NEW)), { webhookSecrets: 2, destinations: 0 })
  assert.deepEqual(before.get(null), { webhookSecrets: 1, destinations: 0 }, 'expired secrets are not counted')

  assert.deepEqual(await reseal(sql, keys), { webhookSecrets: 502, destinations: 1, unreadable: 1 })
  assert.deepEqual(await reseal(sql, keys), { webhookSecrets: 0, destinations: 0, unreadable: 1 }, 'a second run')
  const { keys: status, unreadable } = await readKeyRing(sql, keys)
  assert.deepEqual(
    status.map(({ fingerprint, position, sealed }) => [fingerprint, position, sealed]),
    [
      [fingerprintOf(NEW), 0, { webhookSecrets: 503, destinations: 1 }],
      [fingerprintOf(OLD), 1, { webhookSecrets: 0, destinations: 0 }],
    ],
  )
  assert.deepEqual(unreadable, { webhookSecrets: 1, destinations: 0 })

  const [row] = await sql<{ destination: Buffer }[]>`select destination from requests where id = ${open.id}`
  assert.ok(row !== undefined)
  assert.deepEqual(openDestinations(NEW, account.id, row.destination), destination)
  const secrets = await sql<{ sealed: Buffer }[]>`
    select sealed from webhook_secrets where expires_at is null order by id limit 501`
  const opened = secrets.map(({ sealed }) => unseal(NEW, accountContext(account.id), sealed))
  assert.deepEqual(
    opened,
    Array.from({ length: 501 }, (_, index) => `whsec_${index}`),
  )
})

test('reseal does not overwrite a webhook secret that was rolled while reseal was running', async () => {
  await sql`delete from webhook_secrets`
  await addSecrets(OLD, 2)
  const other = await sql.reserve()
  await other`begin`
  const rolled = seal(OLD, accountContext(account.id), 'whsec_rolled').value
  await other`update webhook_secrets set sealed = ${rolled} where id = (select min(id) from webhook_secrets)`
  const resealing = reseal(sql, `${NEW},${OLD}`)
  // `reseal` waits for the row lock of the other transaction.
  const isWaiting = async () =>
    (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`).length >
    0
  while (!(await isWaiting()));
  await other`commit`
  other.release()
  assert.deepEqual(await resealing, { webhookSecrets: 1, destinations: 0, unreadable: 0 })
  const [first] = await sql<{ sealed: Buffer }[]>`select sealed from webhook_secrets order by id limit 1`
  assert.deepEqual(first?.sealed, rolled)
})
