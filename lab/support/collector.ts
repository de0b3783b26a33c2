import type { IncomingHttpHeaders } from 'node:http'
import { startHttpServer } from './http-server.ts'

export type CollectedSpan = {
  name: string
  service: string
  traceId: string
  spanId: string
  /** The id of the parent span. Empty for the first span of a trace. */
  parentId: string
  /** The span kind as an OTLP number: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number
  attributes: Record<string, string | number | boolean>
  failed: boolean
  startMs: number
  endMs: number
}

/** An OpenTelemetry collector on loopback. It accepts traces as JSON over OTLP/HTTP. */
type Collector = AsyncDisposable & {
  endpoint: string
  spans: CollectedSpan[]
  posts: { path: string; headers: IncomingHttpHeaders; text: string }[]
}

type Value = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean }
type Attribute = { key: string; value: Value }
type Posted = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: {
        name: string
        traceId: string
        spanId: string
        parentSpanId?: string
        kind: number
        startTimeUnixNano: string
        endTimeUnixNano: string
        attributes: Attribute[]
        status: { code?: number }
      }[]
    }[]
  }[]
}

const ERROR = 2

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const posts: Collector['posts'] = []
  const server = await startHttpServer((call, response) => {
    const chunks: Buffer[] = []
    call.on('data', (chunk: Buffer) => chunks.push(chunk))
    call.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      posts.push({ path: call.url ?? '', headers: call.headers, text })
      spans.push(...spansOf(JSON.parse(text) as Posted))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  return {
    endpoint: server.url,
    spans,
    posts,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  }
}

function spansOf(posted: Posted): CollectedSpan[] {
  return posted.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        name: span.name,
        service: String(valuesOf(resource.attributes)['service.name']),
        traceId: span.traceId,
        spanId: span.spanId,
        parentId: span.parentSpanId ?? '',
        kind: span.kind,
        attributes: valuesOf(span.attributes),
        failed: span.status.code === ERROR,
        startMs: Number(span.startTimeUnixNano) / 1e6,
        endMs: Number(span.endTimeUnixNano) / 1e6,
      })),
    ),
  )
}

const valuesOf = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)] as const))

function valueOf({ stringValue, intValue, doubleValue, boolValue }: Value): string | number | boolean {
  return stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue ?? ''
}
