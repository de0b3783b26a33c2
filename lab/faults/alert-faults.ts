import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { seal } from '@mediamill/server/accounts/seal'
import type { Reserved } from '@mediamill/server/db/connection/connect'
import { markSecretKeyRetired } from '@mediamill/server/db/secret-keys'
import { fingerprintOf } from '@mediamill/server/lib/key-fingerprint'
import type { RoleName } from '../chaos/fleet.ts'
import { enginesOf } from '../chaos/fleet.ts'
import { freePort, until } from '../support/process.ts'
import { signalAll } from '../support/processes.ts'
import { copyProject } from '../support/project-copy.ts'
import type { Service } from './alert-service.ts'
import { SMALL_DISK_BYTES } from './alert-service.ts'

export type AlertFault = {
  alert: string
  what: string
  prepare?: (service: Service, undo: AsyncDisposableStack) => Promise<void>
  /** Starts the failure while Prometheus scrapes. `undo` ends the failure. */
  begin?: (service: Service, undo: AsyncDisposableStack) => Promise<void>
  /** The process that Prometheus does not scrape, as if its machine had disappeared. */
  unscraped?: readonly [RoleName, number]
}

const HOUR_S = 3_600
/** The maximum number of jobs of one lane that a worker with WORKER_CONCURRENCY=1 claims at the same time. */
const SLOTS = 12

const NEW_KEY = 'the new secret key of an unfinished rotation'

export const ALERT_FAULTS: readonly AlertFault[] = [
  {
    alert: 'MediamillProcessDown',
    what: 'an API server hangs',
    begin: async (service, undo) => freeze(service, undo, ['api', 1]),
  },
  {
    alert: 'MediamillDatabaseDown',
    what: 'PostgreSQL rejects connections',
    async begin({ databaseProxy, databasePort }, undo) {
      databaseProxy.lead(await freePort())
      undo.defer(() => databaseProxy.lead(databasePort))
    },
  },
  {
    alert: 'MediamillHttpErrors',
    what: 'a trigger, added by hand, rejects new requests',
    async begin({ sql }, undo) {
      await sql.unsafe(`create function reject() returns trigger language plpgsql as $$ begin raise 'rejected'; end $$;
        create trigger reject before insert on requests for each row execute function reject()`)
      undo.defer(async () => void (await sql.unsafe('drop function reject cascade')))
    },
  },
  {
    alert: 'MediamillSlowPickup',
    what: 'an open transaction locks queued requests',
    async prepare(service, undo) {
      const thaw = new AsyncDisposableStack()
      for (const index of [0, 1]) freeze(service, thaw, ['worker', index])
      for (let count = 0; count < 5; count += 1) await service.accept('small', 0)
      await hold(service, undo, (tx) => tx`select from jobs where worker_id is null for update`)
      await thaw.disposeAsync()
    },
  },
  {
    alert: 'MediamillSaturated',
    what: 'engines get no processor time, and requests wait',
    async begin(service, undo) {
      const frozen = new Set<number>()
      undo.defer(() => signalAll(frozen, 'SIGCONT'))
      repeat(undo, 200, async () => {
        for (const pid of enginesOf(service.dataDir)) {
          signalAll([pid], 'SIGSTOP')
          frozen.add(pid)
        }
        if ((await service.queued()) < 3 * SLOTS)
          await Promise.all([0, 1].map((account) => service.accept('small', account)))
      })
    },
  },
  {
    alert: 'MediamillStoreErrors',
    what: 'the bucket rejects connections',
    async begin({ store }, undo) {
      store.fail('refuse')
      undo.defer(() => store.mend())
    },
  },
  {
    alert: 'MediamillStoreSlow',
    what: 'the bucket responds after 11 s',
    async begin({ store }, undo) {
      store.delay(11_000)
      undo.defer(() => store.mend())
    },
  },
  {
    alert: 'MediamillDiskAlmostFull',
    what: 'the disk of an API server fills up',
    async begin({ smallDisk }, undo) {
      const filler = join(smallDisk, 'filler')
      await writeFile(filler, Buffer.alloc(SMALL_DISK_BYTES * 0.95))
      undo.defer(() => rm(filler))
    },
  },
  {
    alert: 'MediamillDeadRows',
    what: 'a million rows are rolled back while autovacuum is off',
    async prepare({ admin }, undo) {
      await admin.unsafe('alter table workers set (autovacuum_enabled = false)')
      undo.defer(async () => {
        await admin.unsafe('alter table workers reset (autovacuum_enabled)')
        await admin.unsafe('vacuum workers')
      })
      const failed = new Error('rolled back')
      await admin
        .begin(async (tx) => {
          await tx`insert into workers (id, host) select gen_random_uuid(), 'x' from generate_series(1, 1100000)`
          throw failed
        })
        .catch((error: unknown) => {
          if (error !== failed) throw error
        })
    },
  },
  {
    alert: 'MediamillDeliveriesStuck',
    what: 'no key of SECRET_KEY decrypts the secret of an account',
    async prepare({ sql, accounts, accept, webhookUrl }, undo) {
      const id = accounts[1]?.id ?? 0
      const [before] = await sql<{ sealed: Buffer }[]>`select sealed from webhook_secrets where account_id = ${id}`
      const { value } = seal('a secret key that no process has, of 32 characters', String(id), 'whsec_other')
      await sql`update webhook_secrets set sealed = ${value} where account_id = ${id}`
      undo.defer(
        async () =>
          void (await sql`update webhook_secrets set sealed = ${before?.sealed ?? value} where account_id = ${id}`),
      )
      await accept('small', 1, { webhook_url: webhookUrl })
    },
  },
  {
    alert: 'MediamillDeliveriesOverdue',
    what: 'an open transaction locks due deliveries',
    async prepare(service, undo) {
      const { sql, accept, receiver, webhookUrl } = service
      receiver.respond(500)
      undo.defer(() => receiver.respond(204))
      await accept('small', 0, { webhook_url: webhookUrl })
      const isRetried = async () =>
        (await sql`select from events where attempts > 0 and due_at > now() + interval '1 second'`).length > 0
      await until(isRetried)
      await hold(service, undo, (tx) => tx`select from events where due_at is not null for update`)
      await later(service, undo, 180)
    },
  },
  {
    alert: 'MediamillEngineCrashes',
    what: 'engines of a worker are killed, as the kernel does when memory runs out',
    async begin({ dataDir, fleet }, undo) {
      const worker = fleet.pidOf('worker', 0)
      repeat(undo, 4_000, async () => {
        const children = await readFile(`/proc/${worker}/task/${worker}/children`, 'utf8')
        const own = new Set(children.split(' ').map(Number))
        signalAll(
          enginesOf(dataDir).filter((pid) => own.has(pid)),
          'SIGKILL',
        )
      })
    },
  },
  {
    alert: 'MediamillWorkersLost',
    what: 'the machine of a worker disappears during its requests',
    unscraped: ['worker', 1],
    async begin(service, undo) {
      for (let count = 0; count < SLOTS; count += 1)
        await Promise.all([0, 1].map((account) => service.accept('long', account)))
      await until(async () => {
        const [row] = await service.sql<{ held: number }[]>`
          select min(held)::integer as held
          from (select count(*) as held from jobs where worker_id is not null group by worker_id having count(*) > 1) each`
        return row?.held === SLOTS
      })
      freeze(service, undo, ['worker', 1])
    },
  },
  {
    alert: 'MediamillVersionsMixed',
    what: 'one API server remains at another version',
    async prepare({ fleet }, undo) {
      const root = join(import.meta.dirname, '../..')
      const copy = undo.use(await copyProject(root, 'other-version'))
      const file = join(copy.path, 'package.json')
      await writeFile(file, (await readFile(file, 'utf8')).replace(/"version": "[^"]+"/, '"version": "0.0.1"'))
      await fleet.roll('api', 1, join(copy.path, 'packages/server/src/main.ts'))
      undo.defer(async () => void (await fleet.roll('api', 1, join(root, 'packages/server/src/main.ts'))))
    },
  },
  {
    alert: 'MediamillNoWorkers',
    what: 'the workers are scaled to zero slots while requests arrive',
    async prepare({ settings, fleet }, undo) {
      const roll = async (concurrency: string) => {
        settings['WORKER_CONCURRENCY'] = concurrency
        await Promise.all([0, 1].map((index) => fleet.roll('worker', index)))
      }
      const before = settings['WORKER_CONCURRENCY'] ?? ''
      await roll('0')
      undo.defer(() => roll(before))
    },
  },
  {
    alert: 'MediamillOldKey',
    what: 'a rotation of SECRET_KEY has been unfinished for 31 days (its date in the database is changed)',
    async prepare({ settings, fleet, sql }, undo) {
      const before = settings['SECRET_KEY'] ?? ''
      const roll = async (keys: string) => {
        settings['SECRET_KEY'] = keys
        for (const role of ['api', 'worker'] as const) await Promise.all([0, 1].map((index) => fleet.roll(role, index)))
      }
      // Processes encrypt and sign with the first key of the list, and record that they use it.
      await roll(`${NEW_KEY},${before}`)
      undo.defer(async () => {
        await markSecretKeyRetired(sql, fingerprintOf(NEW_KEY))
        await roll(before)
      })
      await sql`update secret_keys set first_used_at = first_used_at - interval '31 days'`
    },
  },
  {
    alert: 'MediamillOldSnapshot',
    what: 'a transaction is open for more than an hour (by the clock of the database)',
    async prepare(service, undo) {
      await hold(service, undo, async (tx) => {
        await tx`set transaction isolation level repeatable read`
        await tx`select from accounts limit 1`
      })
      await later(service, undo, HOUR_S + 60)
    },
  },
  {
    // Keep this failure last: workers check each account only once a minute, so the alert outlasts the failure.
    alert: 'MediamillLedgerDrift',
    what: 'a balance differs from its ledger',
    async begin({ sql, accounts }, undo) {
      const id = accounts[1]?.id ?? 0
      await sql`update accounts set balance = balance - 1 where id = ${id}`
      undo.defer(async () => void (await sql`update accounts set balance = balance + 1 where id = ${id}`))
    },
  },
]

function freeze({ fleet }: Service, undo: AsyncDisposableStack, [role, index]: readonly [RoleName, number]): void {
  const pid = fleet.pidOf(role, index)
  signalAll([pid], 'SIGSTOP')
  undo.defer(() => signalAll([pid], 'SIGCONT'))
}

/** Runs `work` in a transaction that stays open until `undo` is disposed of. */
async function hold(
  { admin }: Service,
  undo: AsyncDisposableStack,
  work: (tx: Reserved) => PromiseLike<unknown>,
): Promise<void> {
  const tx = await admin.reserve()
  undo.defer(async () => {
    await tx`rollback`
    tx.release()
  })
  await tx`begin`
  await work(tx)
}

async function later({ clock, ready }: Service, undo: AsyncDisposableStack, seconds: number): Promise<void> {
  await clock.set(seconds)
  undo.defer(async () => {
    await clock.set(0)
    await ready()
  })
  // The jump has expired the leases, so wait until workers have renewed them.
  await ready()
}

export function repeat(undo: AsyncDisposableStack, pauseMs: number, work: () => Promise<unknown>): void {
  const ending = new AbortController()
  const run = async () => {
    while (!ending.signal.aborted) {
      await work()
      await delay(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const running = run()
  undo.defer(async () => {
    ending.abort()
    await running
  })
}
