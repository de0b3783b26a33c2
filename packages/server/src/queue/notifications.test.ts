import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openCuttableDatabase } from '@mediamill/lab/support/cuttable-database'
import { createDatabase } from '@mediamill/lab/support/database'
import { until } from '@mediamill/lab/support/process'
import { connect } from '../db/connection/connect.ts'
import type { Change } from './notifications.ts'
import { sendNotifications, subscribe } from './notifications.ts'

const database = await createDatabase()
const way = await openCuttableDatabase(database.url)
const sql = connect(way.url, { connections: 1, applicationName: 'test' })
after(async () => {
  await sql.end({ timeout: 1 })
  await way[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

test('a subscription to notifications that starts during a database outage receives changes after the outage', async () => {
  const received = new Set<string>()
  await way.cut()
  const listening = await subscribe(
    sql,
    { queue: (names) => received.add(`queue ${names.join()}`), abort: (ids) => received.add(`abort ${ids.join()}`) },
    () => received.add('listening'),
  )
  await way.mend()
  await until(async () => {
    await sendNotifications(database.sql, ['queue:video', 'request:7', 'abort:7', 'queue:image'])
    return received.size === 3
  })
  assert.deepEqual([...received].sort(), ['abort 7', 'listening', 'queue video,image'])
  await listening.stop()
})

test('a list of changes that is too long for one notification is split, and no change is lost', async () => {
  const received: string[] = []
  const all = Promise.withResolvers<void>()
  const listening = await subscribe(database.sql, {
    request: (ids) => {
      received.push(...ids)
      if (received.length === 2_000) all.resolve()
    },
  })
  const ids = Array.from({ length: 2_000 }, (_, index) => 1_000_000 + index)
  await sendNotifications(
    database.sql,
    ids.map((id): Change => `request:${id}`),
  )
  await all.promise
  assert.deepEqual(received, ids.map(String))
  await listening.stop()
})
