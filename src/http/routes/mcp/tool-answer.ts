import type { CallToolResult } from '@modelcontextprotocol/server'
import type { OutputFormat } from '../../../domain/media.ts'
import { CONTENT_TYPES } from '../../../domain/media.ts'
import type { JsonObject } from './input-schema.ts'

/** What hosts show whole: larger pictures they cut to nonsense, or refuse. */
const MAX_SHOWN = { pixels: 512, bytes: 100_000 }

type ShownFile = { url: string; format: OutputFormat; size: number | null }

type ShownRequest = {
  object: 'request'
  id: number
  status: string
  result?: { data: { width?: number; height?: number }; files: ShownFile[] }
  error?: { message: string; code: string }
}

/** A refusal of the interface, told so that a model can mend its call. */
export function refusedAnswer(body: JsonObject): CallToolResult {
  const { error } = body as {
    error?: { message?: string; code?: string; doc_url?: string; errors?: { message: string }[] }
  }
  const others = (error?.errors ?? []).map(({ message }) => message).filter((message) => message !== error?.message)
  const lines = [`${error?.code}: ${error?.message}`, ...others, ...(error?.doc_url ? [`See ${error.doc_url}`] : [])]
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }], structuredContent: body }
}

/** What the interface answered, in a sentence and whole, with a link to each file. */
export function toolAnswer(body: JsonObject): CallToolResult {
  const links = filesOf(body).map(({ url, format }) => ({
    type: 'resource_link' as const,
    uri: url,
    name: `result.${format}`,
    mimeType: CONTENT_TYPES[format],
  }))
  return {
    isError: isFailed(body),
    content: [{ type: 'text', text: sentenceOf(body) }, ...links],
    structuredContent: body,
  }
}

/** Finds the request whose only file is a picture small enough to show. */
export function shownPicture(body: JsonObject): { id: number; mimeType: string } | undefined {
  const [file, ...others] = filesOf(body)
  if (!isRequest(body) || file === undefined || others.length > 0) return undefined
  const mimeType = CONTENT_TYPES[file.format]
  const { width = Infinity, height = Infinity } = body.result?.data ?? {}
  const isSmall = Math.max(width, height) <= MAX_SHOWN.pixels && (file.size ?? Infinity) <= MAX_SHOWN.bytes
  return isSmall && SHOWN_TYPES.has(mimeType) ? { id: body.id, mimeType } : undefined
}

/** What hosts can show. */
const SHOWN_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

const isRequest = (body: object): body is ShownRequest => 'object' in body && body.object === 'request'
const filesOf = (body: JsonObject): ShownFile[] => (isRequest(body) ? (body.result?.files ?? []) : [])
const isFailed = (body: JsonObject) => isRequest(body) && body.status === 'failed'

function sentenceOf(body: JsonObject): string {
  if (!isRequest(body)) return JSON.stringify(body)
  const { id, status, error, result } = body
  if (error !== undefined) return `Request ${id} ${status}: ${error.code}: ${error.message}`
  if (result === undefined) return `Request ${id} is ${status}: call get_request with this id to wait for it.`
  return `Request ${id} ${status}: ${JSON.stringify(result.data)}`
}
