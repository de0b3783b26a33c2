import type { AttemptedRow, EventRow } from '../../db/events/event-log.ts'

export const presentDelivery = (row: EventRow) => ({
  id: row.id,
  type: row.type,
  account: row.accountId,
  request: row.requestId,
  status: row.status,
  url: row.url,
  attempts: row.attempts,
  next_attempt_at: row.dueAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
})

export const presentAttempt = (row: AttemptedRow) => ({
  attempt: row.number,
  at: row.startedAt.toISOString(),
  duration_ms: row.durationMs,
  url: row.url,
  status: row.status,
  answer: row.answer?.toString() ?? null,
  reason: row.reason,
})
