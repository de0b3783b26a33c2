import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { LANES } from '@mediamill/contract/domain/request'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { createDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { migrate } from '../migrate.ts'
import { connect } from './connect.ts'
import { listen, listenToEvents, notifyAbort, notifyEvents, notifyRequests } from './notices.ts'

const database = await createDatabase()
const way = await openCuttableDatabase(database.url)
const sql = connect(way.url, { connections: 1, applicationName: 'test' })
after(async () => {
  await sql.end({ timeout: 1 })
  await way[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test('who begins to listen while the database is away hears of all as soon as it is back', async () => {
  const heard = new Set<string>()
  await way.cut()
  const notices = await listen(sql, {
    requests: (lanes) => heard.add(`requests ${lanes.join()}`),
    abort: (id) => heard.add(`abort ${id}`),
  })
  const events = await listenToEvents(sql, () => heard.add('events'))
  await way.mend()
  await until(async () => {
    await Promise.all([
      notifyRequests(database.sql, ['video', 'image']),
      notifyAbort(database.sql, 7),
      notifyEvents(database.sql),
    ])
    return heard.size === 4
  })
  const all = `requests ${LANES.join()}`
  assert.deepEqual([...heard].sort(), ['abort 7', 'events', 'requests image,video', all].sort())
  await notices.stop()
  await events.stop()
})

test('a migration waits for a database that is away when it begins', async () => {
  await way.cut()
  const migrated = migrate(way.url)
  migrated.catch(() => undefined)
  // By the time that two others have found nobody there, it has as well.
  for (const _ of [1, 2]) await assert.rejects(sql`select 1`)
  await way.mend()
  assert.deepEqual(await migrated, [])
})
