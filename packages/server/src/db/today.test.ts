import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { today } from './today.ts'

const { sql } = await sharedDatabase()

test('the current day is the day in UTC in every time zone of the session', async () => {
  // At any time, at least one of these zones has another date than UTC.
  for (const zone of ['Etc/GMT-14', 'Etc/GMT+12']) {
    const [row] = await sql.begin(async (tx) => {
      await tx`select set_config('TimeZone', ${zone}, true)`
      return await tx`
        select ${today(tx)} = date '1970-01-01' + floor(extract(epoch from now()) / 86400)::integer as is_utc`
    })
    assert.deepEqual(row, { is_utc: true }, zone)
  }
})
