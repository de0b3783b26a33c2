import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RequestId } from '@mediamill/contract/domain/ids'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { createDatabase } from '@mediamill/lab/support/database'
import { acceptable, aliveWorker, openAccount } from '@mediamill/lab/support/line'
import { accept } from '../requests/accept.ts'
import { createLog } from '../telemetry/log.ts'
import { Claimer } from './claimer.ts'
import { JobSlots } from './job-slots.ts'

const database = await createDatabase()
const { sql } = database
after(() => database[Symbol.asyncDispose]())

test('a look has ended only when what it found has begun, and so has the search for claims that were never answered', async () => {
  const { id: accountId } = await openAccount(sql)
  const workerId = await aliveWorker(sql)
  const begun: RequestId[] = []
  const claimer = new Claimer({
    sql,
    workerId,
    lanes: [{ lane: 'image', places: 9, hasRoom: () => true }],
    slots: new JobSlots(),
    start: ({ request }) => void begun.push(request.id),
    log: createLog('silent', 'test'),
  })
  const made = [await accept(sql, acceptable(accountId)), await accept(sql, acceptable(accountId))]
  const ids = made.map(({ id }) => id)
  await claimer.look(['image'])
  assert.deepEqual(begun, ids)
  // None of them is in the slots: as if no claim had been answered.
  await claimer.checkUnanswered()
  assert.deepEqual(begun, [...ids, ...ids])
})

test('a single lane that was left for want of room is looked into when there is room, and then no more', async () => {
  const { id: accountId } = await openAccount(sql)
  const begun: RequestId[] = []
  let isRoom = false
  const claimer = new Claimer({
    sql,
    workerId: await aliveWorker(sql),
    lanes: [{ lane: 'document', places: 9, hasRoom: () => isRoom }],
    slots: new JobSlots(),
    start: ({ request }) => void begun.push(request.id),
    log: createLog('silent', 'test'),
  })
  const endpoint = endpointNamed('documents/read')
  const first = await accept(sql, acceptable(accountId, { endpoint }))
  await claimer.look(['document'])
  assert.deepEqual(begun, [])
  isRoom = true
  await claimer.lookBehind()
  assert.deepEqual(begun, [first.id])
  await accept(sql, acceptable(accountId, { endpoint }))
  await claimer.lookBehind()
  assert.deepEqual(begun, [first.id], 'it was left no more, so a notice tells of the next')
})
