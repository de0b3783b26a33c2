import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startPair, whyNoPair } from '@mediamill/lab/support/database-pair'
import { until } from '@mediamill/lab/support/process'
import { connect } from '../../src/db/connection/connect.ts'
import { isAway } from '../../src/db/connection/errors.ts'
import { sendNotifications, subscribeToQueue } from '../../src/queue/notifications.ts'

const options = { skip: whyNoPair() ?? false, timeout: 240_000 }

describe('a database address that switches to another server', options, () => {
  for (const how of ['SIGKILL', 'SIGSTOP'] as const)
    test(`a connection pool and its database notifications move to the new primary after the old primary has ${how === 'SIGKILL' ? 'died' : 'gone silent'}`, async () => {
      await using pair = await startPair({ synchronous: true })
      const sql = connect(pair.url, { connections: 3, applicationName: 'test' })
      let received = 0
      const listening = await subscribeToQueue(sql, 'image', () => {
        received += 1
      })
      await sql`create table kept as select 1 as number`
      await until(() => received > 0)
      await pair.failOver(how)
      const promotedAt = performance.now()
      const asked = async () =>
        await sql`insert into kept values (2) returning number`.then(
          () => true,
          (error: unknown) => {
            assert.equal(isAway(error), true, String(error))
            return false
          },
        )
      // Send more statements than the pool has connections: a statement to a dead machine must not block the others.
      await Promise.all(Array.from({ length: 6 }, () => until(asked)))
      const seconds = (performance.now() - promotedAt) / 1_000
      assert.ok(seconds < 60, `it took ${seconds} s`)
      const before = received
      await until(async () => {
        await sendNotifications(sql, ['queue:image'])
        return received > before
      })
      const [row] = await sql`select count(*) filter (where number = 1)::integer as first from kept`
      assert.equal(row?.['first'], 1)
      await listening.stop()
      await sql.end({ timeout: 1 })
    })
})
