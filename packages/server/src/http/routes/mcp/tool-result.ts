import type { MediaType, OutputFormat } from '@mediamill/contract/domain/media'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { JsonObject } from './input-schema.ts'

/** The size limits of images in a tool result. MCP hosts crop or reject larger images. */
const MAX_SHOWN = { pixels: 512, bytes: 100_000 }

type ShownFile = { url: string; format: OutputFormat; size: number | null; name?: string }

type ShownRequest = {
  object: 'request'
  id: number
  status: string
  result?: { data: { width?: number; height?: number }; files: ShownFile[] }
  error?: { message: string; code: string }
}

export function rejectedResult(body: JsonObject): CallToolResult {
  const { error } = body as {
    error?: { message?: string; code?: string; doc_url?: string; errors?: { message: string }[] }
  }
  const others = (error?.errors ?? []).map(({ message }) => message).filter((message) => message !== error?.message)
  const lines = [`${error?.code}: ${error?.message}`, ...others, ...(error?.doc_url ? [`See ${error.doc_url}`] : [])]
  return { isError: true, content: [{ type: 'text', text: inToolNames(lines.join('\n')) }], structuredContent: body }
}

export function toolResult(body: JsonObject): CallToolResult {
  const links = filesOf(body).map(({ url, format, name = 'result' }) => ({
    type: 'resource_link' as const,
    uri: url,
    name: `${name}.${format}`,
    mimeType: CONTENT_TYPES[format],
  }))
  return {
    isError: isFailed(body),
    content: [{ type: 'text', text: inToolNames(sentenceOf(body)) }, ...links],
    structuredContent: body,
  }
}

export function isSmallImage(body: JsonObject): boolean {
  const [file, ...others] = filesOf(body)
  if (!isRequest(body) || file === undefined || others.length > 0) return false
  const { width = Infinity, height = Infinity } = body.result?.data ?? {}
  const isSmall = Math.max(width, height) <= MAX_SHOWN.pixels && (file.size ?? Infinity) <= MAX_SHOWN.bytes
  return isSmall && SHOWN_TYPES.has(CONTENT_TYPES[file.format])
}

const SHOWN_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

export const requestOf = (body: JsonObject): { id: number; status: string } | undefined =>
  isRequest(body) ? body : undefined

export function otherMedia(body: JsonObject): MediaType | undefined {
  if (!isRequest(body) || body.error?.code !== 'unsupported_media') return undefined
  const [, media] = /use (image|video|document)s\//.exec(body.error.message) ?? []
  return media as MediaType | undefined
}

export function invalidArguments(errors: readonly string[]): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: `Invalid arguments: ${errors.join('\n')}` }] }
}

function inToolNames(text: string): string {
  return text
    .replaceAll(/Call POST \/v1\/(video|document)s\/(?:screenshot|snapshot)\b/g, 'Call capture_still with media: "$1"')
    .replaceAll(/(?:\/v1\/)?\b(image|video|document)s\/process\b/g, 'process_$1')
    .replaceAll(/(?:\/v1\/)?\b(?:image|video|document)s\/read\b/g, 'inspect_media')
    .replaceAll(/(?:\/v1\/)?\b(?:videos\/screenshot|documents\/snapshot)\b/g, 'capture_still')
    .replaceAll(/\bPOST \/v1\/uploads\b/g, 'create_upload')
    .replaceAll(/\bPOST \/v1\/stamps\b/g, 'make_text_watermark')
}

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
