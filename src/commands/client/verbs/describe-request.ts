import type { MediaRequest } from '../../../client/api-types.ts'
import { describeFields, describeTable, describeTime } from '../../terminal/output.ts'

/** A request as people read it: every field that has something to say. */
export function describeRequest(request: MediaRequest): string {
  const shown = request as unknown as Record<string, unknown> & {
    result?: { data?: object; files?: { url: string }[] }
  }
  const { result, error, ...fields } = shown
  const plain = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === null || name === 'object' ? [] : [[name, textOf(name, value)]],
  )
  const facts = Object.entries(result?.data ?? {}).map(([name, value]): [string, string] => [name, textOf(name, value)])
  const files = (result?.files ?? []).map(({ url }): [string, string] => ['file', url])
  const why = error === undefined ? [] : [['error', textOf('error', error)] as [string, string]]
  return describeFields([...plain, ...why, ...facts, ...files])
}

/** Requests under each other, the newest first. */
export function describeRequests(requests: readonly MediaRequest[]): string {
  const rows = requests.map((request) => [
    String(request.id),
    request.status,
    request.endpoint,
    'price' in request ? `$${request.price.amount}` : '',
    describeTime(new Date(request.created_at)),
    'error' in request ? request.error.message : request.source,
  ])
  return describeTable(['ID', 'STATUS', 'ENDPOINT', 'PRICE', 'CREATED', 'SOURCE OR REASON'], rows)
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return name.endsWith('_at') ? describeTime(new Date(value)) : value
  if (typeof value === 'object' && value !== null && 'amount' in value) return `$${String(value.amount)}`
  if (name === 'error' && typeof value === 'object' && value !== null && 'message' in value)
    return String(value.message)
  return JSON.stringify(value)
}
