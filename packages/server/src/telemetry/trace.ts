import { ApiError, RequestFailure } from '@mediamill/contract/domain/errors'

/** The W3C Trace Context headers, with which another process continues a trace. */
export type TraceHeaders = Record<string, string>

/** The attributes of a span. They must not contain URLs, keys, or secrets: another party may own the collector. */
type Attributes = Record<string, string | number | boolean | undefined>

export type Span = {
  readonly headers: TraceHeaders
  child: (name: string, attributes?: Attributes) => Span
  note: (attributes: Attributes) => void
  /** Records the kind of an error, but not its message, which may contain a source URL. */
  fail: (kind: string) => void
  end: (at?: Date) => void
}

export type SpanOptions = {
  kind: 'server' | 'client' | 'consumer' | 'internal'
  /** The headers of the call or of the stored job. Only the trace headers are used. */
  parent: Readonly<Record<string, string | string[] | undefined>> | null
  attributes: Attributes
  startedAt?: Date
}

export type Tracer = {
  start: (name: string, options: SpanOptions) => Span
  close: () => Promise<void>
}

export async function traced<Result>(
  parent: Span | undefined,
  name: string,
  work: (span: Span | undefined) => Promise<Result>,
): Promise<Result> {
  if (parent === undefined) return await work(undefined)
  const span = parent.child(name)
  try {
    return await work(span)
  } catch (error) {
    span.fail(kindOf(error))
    throw error
  } finally {
    span.end()
  }
}

export function kindOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof RequestFailure) return error.code
  return error instanceof Error ? error.name : 'unknown'
}

export function traceField(headers: TraceHeaders | null | undefined): { trace_id: string } | undefined {
  const id = headers?.['traceparent']?.split('-')[1]
  return id === undefined ? undefined : { trace_id: id }
}
