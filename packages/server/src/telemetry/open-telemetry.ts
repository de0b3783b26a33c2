import { hostname } from 'node:os'
import type { Span as OpenSpan } from '@opentelemetry/api'
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { Resource } from '@opentelemetry/resources'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Config } from '../config/config.ts'
import { withTimeout } from '../lib/time/with-timeout.ts'
import type { Logger } from './log.ts'
import type { Span, SpanOptions, TraceHeaders, Tracer } from './trace.ts'

type TelemetrySettings = Pick<Config, 'tracesServiceName' | 'tracesSampler' | 'tracesSamplerArg'> & {
  tracesEndpoint: string
}

const CLOSE_MS = 3_000
const BATCH_MS = 1_000

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** Creates a tracer that exports spans. Queues at most 2,048 spans. The library also reads `OTEL_*` variables. */
export function openTelemetry(settings: TelemetrySettings, role: 'api' | 'worker', log: Logger): Tracer {
  const exporter = new OTLPTraceExporter({ url: `${settings.tracesEndpoint}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceOf(settings, role),
    sampler: samplerOf(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter: complainOnce(exporter, log), scheduledDelayMillis: BATCH_MS })],
  })
  const tracer = provider.getTracer('mediamill')
  const propagator = new W3CTraceContextPropagator()

  function wrap(span: OpenSpan): Span {
    const context = trace.setSpan(ROOT_CONTEXT, span)
    return {
      get headers() {
        const headers: TraceHeaders = {}
        propagator.inject(context, headers, defaultTextMapSetter)
        return headers
      },
      child: (name, attributes = {}) => wrap(tracer.startSpan(name, { attributes }, context)),
      note: (attributes) => void span.setAttributes(attributes),
      fail: (kind) => void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', kind),
      end: (at) => span.end(at),
    }
  }

  return {
    start(name: string, { kind, parent, attributes, startedAt }: SpanOptions) {
      const context = propagator.extract(ROOT_CONTEXT, parent ?? {}, defaultTextMapGetter)
      const options = { kind: KINDS[kind], attributes, ...(startedAt !== undefined && { startTime: startedAt }) }
      return wrap(tracer.startSpan(name, options, context))
    },
    async close() {
      const sent = provider.shutdown().catch(() => undefined)
      await withTimeout(sent, CLOSE_MS, () => undefined)
    },
  }
}

function resourceOf({ tracesServiceName }: TelemetrySettings, role: string): Resource {
  const ours = { 'service.name': `mediamill-${role}`, 'host.name': hostname(), 'process.pid': process.pid }
  return defaultResource()
    .merge(resourceFromAttributes(ours))
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(resourceFromAttributes(tracesServiceName === undefined ? {} : { 'service.name': tracesServiceName }))
}

function samplerOf({ tracesSampler, tracesSamplerArg }: TelemetrySettings): Sampler {
  const root = rootSampler(tracesSampler.replace('parentbased_', ''), tracesSamplerArg)
  return tracesSampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio)
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler()
}

function complainOnce(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let isUnavailable = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS
        if (failed && !isUnavailable) log.warn({ err: result.error }, 'trace collector unavailable; traces dropped')
        if (!failed && isUnavailable) log.info('trace collector available again')
        isUnavailable = failed
        done(result)
      })
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
}
