import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { microUsd } from '@mediamill/contract/domain/money'
import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import type { Sql } from '../../db/connection/connect.ts'
import { accept } from '../accept.ts'
import type { Claim } from '../claim.ts'
import { claim, renew } from '../claim.ts'
import { writePlan } from './plan.ts'

export async function clearQueue(sql: Sql): Promise<void> {
  await sql`
    update requests set worker_id = null, status = 'aborted', completed_at = now(), started_at = now()
    where completed_at is null`
  await sql`delete from part_plans`
  await sql`delete from workers`
}

export async function videoWorker(sql: Sql, videoSlots = 1): Promise<string> {
  const id = randomUUID()
  await renew(sql, { id, host: 'test', videoSlots }, [])
  return id
}

export async function leasedVideo(sql: Sql, workerId: string, accountId?: number): Promise<Claim> {
  const account = accountId ?? (await openAccount(sql, microUsd(10_000_000))).id
  const endpoint = endpointNamed('videos/process')
  await accept(sql, acceptable(account, { endpoint, source: 'https://example.com/a.mp4', input: { operations: [] } }))
  const claimed = await claim(sql, workerId, 'video', [])
  assert.ok(claimed)
  return claimed
}

export const SOURCE = { kind: 'url', total: 10, validator: '"1"' }

export async function plannedVideo(sql: Sql, workerId: string, segments = 3, accountId?: number): Promise<Claim> {
  const claimed = await leasedVideo(sql, workerId, accountId)
  assert.equal(
    await writePlan(sql, claimed.lease, { source: SOURCE, plan: { version: 1 } }, segmentsOf(segments)),
    true,
  )
  return claimed
}

export const segmentsOf = (count: number) =>
  Array.from({ length: count }, (_, segment) => ({ weight: 1_000, part: { part: segment } }))

export const made = (name: number | string) => ({
  file: { key: `${String(name).padStart(40, '0')}.mp4`, size: 10 },
  data: { is_made: true },
  sourceBytes: 7,
})

export async function silence(sql: Sql, workerId: string): Promise<void> {
  await sql`update workers set seen_at = now() - interval '1 minute' where id = ${workerId}`
}
