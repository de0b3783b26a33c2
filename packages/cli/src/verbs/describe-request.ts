import { formatDollars, microUsd } from '@mediamill/contract/domain/money'
import type { MediaRequest } from '@mediamill/sdk/src/api-types'
import { describeFields, describeTable, describeTime, visible } from '../terminal/output.ts'

export function describeRequest(request: MediaRequest): string {
  const shown = request as unknown as Record<string, unknown> & {
    result?: { data?: object; files?: { url: string; name?: string }[] }
  }
  const { result, error, ...fields } = shown
  const plain = Object.entries(fields).flatMap(([name, value]): [string, string][] =>
    value === null || name === 'object' ? [] : [[name, textOf(name, value)]],
  )
  const metadata = Object.entries(result?.data ?? {}).map(([name, value]): [string, string] => [
    name,
    textOf(name, value),
  ])
  const files = (result?.files ?? []).map(({ url, name }): [string, string] => [
    name === undefined ? 'file' : `file ${name}`,
    url,
  ])
  const why = error === undefined ? [] : [['error', textOf('error', error)] as [string, string]]
  return describeFields([...plain, ...why, ...metadata, ...files])
}

export function describeRequests(
  requests: readonly MediaRequest[],
  nameOf: (source: string) => string | undefined,
  now = new Date(),
): string {
  const rows = requests.map((request) => {
    const source = nameOf(request.source) ?? request.source
    return [
      String(request.id),
      request.status,
      request.endpoint,
      'price' in request ? formatDollars(microUsd(request.price.micro_usd)) : '',
      process.stdout.isTTY ? ago(new Date(request.created_at), now) : describeTime(new Date(request.created_at)),
      visible('error' in request ? `${source}: ${request.error.code}: ${request.error.message}` : source),
    ]
  })
  return describeTable(['ID', 'STATUS', 'ENDPOINT', 'PRICE', 'CREATED', 'SOURCE AND ERROR'], rows)
}

function ago(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000))
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1]
  return new Intl.RelativeTimeFormat('en', { numeric: 'always' }).format(-Math.floor(seconds / length), unit)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return name.endsWith('_at') ? describeTime(new Date(value)) : value
  if (typeof value === 'object' && value !== null && 'micro_usd' in value)
    return formatDollars(microUsd(Number(value.micro_usd)))
  if (name === 'error' && typeof value === 'object' && value !== null && 'message' in value)
    return String(value.message)
  return JSON.stringify(value)
}
