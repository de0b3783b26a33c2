import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseUptime, STEADY_MS } from './database-uptime.ts'

function touchEverySecond(uptime: ReturnType<typeof createDatabaseUptime>, from: number, to: number): void {
  for (let now = from; now <= to; now += 1_000) uptime.touch(now)
}

test("a worker takes over other workers' requests only after it has had a database connection for a minimum time", () => {
  const uptime = createDatabaseUptime(0)
  touchEverySecond(uptime, 1_000, STEADY_MS)
  assert.equal(uptime.isSteady(STEADY_MS - 1), false)
  assert.equal(uptime.isSteady(STEADY_MS), true)
})

test('after a database outage, no worker takes over requests until every worker had time for a heartbeat', () => {
  const uptime = createDatabaseUptime(0)
  touchEverySecond(uptime, 1_000, 60_000)
  assert.equal(uptime.isSteady(60_500), true)
  assert.equal(uptime.isSteady(60_000 + STEADY_MS), false, 'this worker has not reached the database itself')
  const back = 90_000
  uptime.touch(back)
  assert.equal(uptime.isSteady(back), false)
  touchEverySecond(uptime, back + 1_000, back + STEADY_MS)
  assert.equal(uptime.isSteady(back + STEADY_MS), true)
})

test('if two database responses are as far apart as the required uptime, the service counts an outage and restarts the uptime', () => {
  const uptime = createDatabaseUptime(0)
  touchEverySecond(uptime, 1_000, 10_000)
  const back = 10_000 + STEADY_MS
  uptime.touch(back)
  assert.equal(uptime.isSteady(back), false)
})

test('a pause of database responses that is shorter than the required uptime is not an outage', () => {
  const uptime = createDatabaseUptime(0)
  touchEverySecond(uptime, 1_000, 10_000)
  uptime.touch(10_000 + STEADY_MS - 1)
  assert.equal(uptime.isSteady(10_000 + STEADY_MS), true)
})
