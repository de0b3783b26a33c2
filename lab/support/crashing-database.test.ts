import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { linuxOnly, startCrashingDatabase } from './crashing-database.ts'

const database = await startCrashingDatabase()
after(() => database[Symbol.asyncDispose]())

test('the test database accepts new connections while a crash is planned', linuxOnly, async () => {
  const [row] = await database.andCrash(async () => {
    // This query opens the first connection of the pool.
    return await database.ordinary<{ one: number }[]>`select 1 as one`
  })
  assert.equal(row?.one, 1)
})

test('the test database keeps running if the work before a planned crash fails', linuxOnly, async () => {
  await assert.rejects(
    database.andCrash(async () => await Promise.reject(new Error('failed'))),
    /failed/,
  )
  assert.equal((await database.ordinary`select 1`).length, 1)
})
