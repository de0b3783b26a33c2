import { httpEndpoint, oneOf, optional, ratio, setting } from './parse.ts'

export const TRACING_SETTINGS = {
  tracesEndpoint: optional({
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: 'unset: no traces',
    parse: httpEndpoint,
    allowed: 'an http or https URL without query and fragment',
    meaning: 'OpenTelemetry collector for traces (OTLP over HTTP).',
  }),
  tracesServiceName: optional({
    variable: 'OTEL_SERVICE_NAME',
    fallback: 'unset: mediamill-api and mediamill-worker',
    parse: (text) => text,
    allowed: 'a text',
    meaning: 'Service name in traces.',
  }),
  tracesSampler: setting({
    variable: 'OTEL_TRACES_SAMPLER',
    ...oneOf(
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
      'always_on',
      'always_off',
      'traceidratio',
    ),
    allowed: 'always_on, always_off, or traceidratio, or one of them after parentbased_',
    meaning: "Trace sampler. parentbased_* follows the caller's sampling decision.",
  }),
  tracesSamplerArg: setting({
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    value: 1,
    parse: ratio,
    allowed: 'a number, 0 to 1',
    meaning: 'Share of calls that traceidratio traces.',
  }),
}
