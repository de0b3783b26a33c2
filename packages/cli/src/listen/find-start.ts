import type { Mediamill } from '@mediamill/sdk/src/mediamill'
import type { AnyEvent } from '@mediamill/sdk/src/resources/events'

/** Where forwarding starts: after the event `after`. `now` is the server's time in Unix seconds. */
type Start = { after: string | undefined; now: number }

/** Finds the newest event through the newest finished requests, because the list of events starts with the oldest. */
export async function findStart(service: Mediamill, signal: AbortSignal): Promise<Start> {
  const { response } = await service.account.retrieve({ signal }).withResponse()
  const date = Date.parse(response.headers.get('date') ?? '')
  const now = Math.floor((Number.isNaN(date) ? Date.now() : date) / 1000)
  const newest = await Promise.all(
    (['succeeded', 'failed', 'aborted'] as const).map((status) => newestEvent(service, status, signal)),
  )
  const [youngest] = newest.flatMap((event) => event ?? []).toSorted((one, other) => other.created - one.created)
  return { after: youngest?.id, now }
}

type Final = 'succeeded' | 'failed' | 'aborted'

async function newestEvent(service: Mediamill, status: Final, signal: AbortSignal): Promise<AnyEvent | undefined> {
  const [request] = (await service.requests.list({ status, limit: 1 }, { signal })).data
  if (request === undefined) return undefined
  return (await service.events.list({ request_id: request.id }, { signal })).data[0]
}
