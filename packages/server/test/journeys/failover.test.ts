import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startPair, whyNoPair } from '@mediamill/lab/support/database-pair'
import { until } from '@mediamill/lab/support/process'
import { awaitDatabase } from '../../src/db/connection/await-database.ts'
import { connect, isAway } from '../../src/db/connection/connect.ts'
import { listen, notifyRequests } from '../../src/db/connection/notices.ts'

const options = { skip: whyNoPair() ?? false, timeout: 240_000 }

describe('of several database servers', options, () => {
  test('the one that takes writes is found at once, wherever its address stands', async () => {
    await using pair = await startPair({ synchronous: true })
    const [first, second] = pair.urls
    const reversed = pair.url.replace(/@(.*),(.*)\/postgres/, '@$2,$1/postgres')
    assert.equal(await awaitDatabase(reversed), reversed)
    for (const url of [pair.url, reversed]) {
      const sql = connect(url, { connections: 3, applicationName: 'test' })
      const rows = await Promise.all(
        [1, 2, 3].map(() => sql`select current_setting('port') as port, pg_is_in_recovery() as standby`),
      )
      assert.deepEqual(
        rows.flat().map(({ port, standby }) => ({ port, standby })),
        Array(3).fill({ port: new URL(first).port, standby: false }),
      )
      await sql.end({ timeout: 1 })
    }
    const standby = connect(`${second}?target_session_attrs=read-write`, { connections: 1, applicationName: 'test' })
    await assert.rejects(standby`select 1`, (error) => isAway(error))
    await standby.end({ timeout: 1 })
  })

  for (const how of ['SIGKILL', 'SIGSTOP'] as const)
    test(`a pool and its notices move to the new primary when the old one has ${how === 'SIGKILL' ? 'died' : 'gone silent'}`, async () => {
      await using pair = await startPair({ synchronous: true })
      const sql = connect(pair.url, { connections: 3, applicationName: 'test' })
      let heard = 0
      const ears = await listen(sql, {
        requests: () => {
          heard += 1
        },
        abort: () => undefined,
      })
      await sql`create table kept as select 1 as number`
      await until(() => heard > 0)
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
      // A statement that was sent to a machine that is gone must not be waited for: more are sent than there are connections.
      await Promise.all(Array.from({ length: 6 }, () => until(asked)))
      const seconds = (performance.now() - promotedAt) / 1_000
      assert.ok(seconds < 10, `it took ${seconds} s`)
      const before = heard
      await until(async () => {
        await notifyRequests(sql, [])
        return heard > before
      })
      const [row] = await sql`select count(*) filter (where number = 1)::integer as first from kept`
      assert.equal(row?.['first'], 1)
      await ears.stop()
      await sql.end({ timeout: 1 })
    })
})
