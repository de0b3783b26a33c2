import { callService } from '../remote/call-service.ts'
import type { Place } from '../remote/connect.ts'

/** An event of the account, as the list shows it. */
export type ListedEvent = {
  id: string
  type: string
  created: number
  data: { id: number; status: string; endpoint: string }
  delivery: object
}

type EventPage = { data: ListedEvent[]; has_more: boolean }

/** How long the service is asked to hold a call in which there is nothing to tell. */
const HOLD_SECONDS = 25

/** Tries of one call, ever further apart: a service that is away is waited for. */
const PATIENT = 1_000_000

/**
 * Follows the events behind `after` in their order, each once, until the signal.
 *
 * A cursor and no stream: what happens while the connection or the service is away is told afterwards.
 */
export async function* followEvents(
  place: Place,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<ListedEvent, undefined> {
  let cursor = after
  for (;;) {
    const { data } = await callService<EventPage>(place, {
      method: 'GET',
      path: '/v1/events',
      query: { after: cursor, limit: 100 },
      holdSeconds: HOLD_SECONDS,
      maxRetries: PATIENT,
      signal,
    })
    for (const event of data.data) {
      yield event
      cursor = event.id
    }
  }
}

/**
 * Finds an event to follow from. The youngest that a look at the ended requests shows, and the service's time.
 *
 * Events are listed from the oldest, and there may be a million. What ended before `now` is to be passed over.
 */
export async function findStart(
  place: Place,
  signal: AbortSignal,
): Promise<{ after: string | undefined; now: number }> {
  const { response } = await callService(place, { method: 'GET', path: '/v1/account', signal })
  const date = Date.parse(response.headers.get('date') ?? '')
  const now = Math.floor((Number.isNaN(date) ? Date.now() : date) / 1000)
  const newest = await Promise.all(
    ['succeeded', 'failed', 'aborted'].map((status) => newestEvent(place, status, signal)),
  )
  const [youngest] = newest.flatMap((event) => event ?? []).toSorted((one, other) => other.created - one.created)
  return { after: youngest?.id, now }
}

async function newestEvent(place: Place, status: string, signal: AbortSignal): Promise<ListedEvent | undefined> {
  const asked = { method: 'GET', path: '/v1/requests', query: { status, limit: 1 }, signal } as const
  const [request] = (await callService<{ data: { id: number }[] }>(place, asked)).data.data
  if (request === undefined) return undefined
  const events = { method: 'GET', path: '/v1/events', query: { request_id: request.id }, signal } as const
  return (await callService<EventPage>(place, events)).data.data[0]
}
