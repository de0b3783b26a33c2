import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDatabase } from '../../test/support/database.ts'
import { openAccount } from '../../test/support/line.ts'
import { hashKey } from '../accounts/key.ts'
import { enterCalls } from './calls.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

const PER_MINUTE = { test: 10, free: 30, paid: 120 }

test('of the calls of one statement the first ones enter, as many as a minute has room for, however many they are [8]', async () => {
  const { testKey } = await openAccount(sql)
  const call = { hash: hashKey(testKey).toString('hex'), requestId: null }
  const enter = async (count: number) => {
    const entered = await enterCalls(sql, Array<typeof call>(count).fill(call), PER_MINUTE)
    return entered.map((one) => [one?.pace.entered, one?.pace.used])
  }
  const first = Array.from({ length: 15 }, (_, nth) => [nth < 10, Math.min(nth + 1, 10)])
  assert.deepEqual(await enter(15), first)
  assert.deepEqual(await enter(2), Array(2).fill([false, 10]))
})
