import { ApiError, RequestFailure } from '@mediamill/contract/domain/errors'

/** The headers of W3C Trace Context. Work elsewhere, or later, continues the trace with them. */
export type TraceHeaders = Record<string, string>

/** The attributes of a span. Never a URL, a key or a secret: collectors are other people's machines. */
export type Attributes = Record<string, string | number | boolean | undefined>

/** A piece of work that is traced while it is under way. */
export type Span = {
  /** Make work elsewhere a part of this one. */
  readonly headers: TraceHeaders
  /** Begins a part of it. */
  child: (name: string, attributes?: Attributes) => Span
  note: (attributes: Attributes) => void
  /** Says what kind of error it met: its text is for the log, it may name a source. */
  fail: (kind: string) => void
  end: (at?: Date) => void
}

export type SpanOptions = {
  /** In the words of OpenTelemetry: a call that came in or goes out, a queue's taker, or anything else. */
  kind: 'server' | 'client' | 'consumer' | 'internal'
  /** Headers that came with it, if they did; others than those of a trace are ignored. */
  parent: Readonly<Record<string, string | string[] | undefined>> | null
  attributes: Attributes
  startedAt?: Date
}

/** Begins spans in the traces that they belong to, or in new ones. */
export type Tracer = {
  start: (name: string, options: SpanOptions) => Span
  /** Sends what has ended, for a few seconds at most. */
  close: () => Promise<void>
}

/**
 * Does a part of `parent`'s work in a span of its own. Without a parent, as when nothing is traced, it just does it.
 */
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

/** Describes an error in a trace. */
export function kindOf(error: unknown): string {
  if (error instanceof ApiError || error instanceof RequestFailure) return error.code
  return error instanceof Error ? error.name : 'unknown'
}

/** Returns the fields that a log line has for its trace, if there is one. */
export function traceField(headers: TraceHeaders | null | undefined): { trace_id: string } | undefined {
  const id = headers?.['traceparent']?.split('-')[1]
  return id === undefined ? undefined : { trace_id: id }
}
