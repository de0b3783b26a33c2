import type { EventRow } from '../../db/events/event-log.ts'

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
