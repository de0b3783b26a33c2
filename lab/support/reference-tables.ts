import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiErrorCode } from '@mediamill/contract/domain/errors'
import { API_ERRORS, ERROR_TYPES, FAILURE_CODES } from '@mediamill/contract/domain/errors'
import * as limits from '@mediamill/contract/domain/limits'
import { MEDIA_TYPES, OUTPUT, OUTPUT_FORMATS, SOURCE_FORMATS } from '@mediamill/contract/domain/media'
import { toDollars } from '@mediamill/contract/domain/money'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { MAX_COPIES } from '@mediamill/media/plan/document'
import { MAX_CHAIN_PIXELS } from '@mediamill/media/plan/image-budget'
import { describeWeights } from '@mediamill/media/steps/image-steps'
import { describeApi } from '../../scripts/description/document.ts'
import { ERROR_FIXES, ERROR_MEANINGS, FAILURE_MEANINGS } from '../../scripts/description/error-texts.ts'
import { fence, formatJson, table } from '../../scripts/description/markdown.ts'
import type { Description, Schema } from '../../scripts/description/reference-page.ts'
import { nameOf } from '../../scripts/description/reference-page.ts'

const description = describeApi() as Description
const { schemas, parameters } = description.components

/** A page of the reference: its current text (`written`), and its text with current tables (`expected`). */
type ReferencePage = { file: string; written: string; expected: string }

const MARKED = /^<!-- generated: (.+?) -->\n[^]*?^<!-- \/generated -->$/gm

export function readReference(root: string): ReferencePage[] {
  return globSync('docs/reference/*.md', { cwd: root }).map((file) => {
    const written = readFileSync(join(root, file), 'utf8')
    const expected = written.replaceAll(
      MARKED,
      (_marked, name: string) => `<!-- generated: ${name} -->\n${tableNamed(name)}\n<!-- /generated -->`,
    )
    return { file, written, expected }
  })
}

function tableNamed(marker: string): string {
  const [name = '', ...given] = marker.split(' ')
  const write = TABLES[name]
  if (write === undefined) throw new RangeError(`no table is called ${marker}`)
  return write(...given)
}

const TABLES: Readonly<Record<string, (...given: string[]) => string>> = {
  calls,
  example,
  object,
  nested,
  endpoints,
  operation,
  codes,
  failures,
  tiers,
  formats,
  'common-fields': commonFields,
  'operation-media': operationMedia,
  limits: (which = '') => (which === 'fields' ? fieldLimits() : mediaLimits()),
}

function calls(tag = ''): string {
  const rows = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, call]) => [
        `\`${method.toUpperCase()} ${path}\``,
        call.summary,
        (call.parameters ?? [])
          .map((one) => parameters[nameOf(one.$ref)] ?? one)
          .filter((one) => one.in !== 'path')
          .map((one) => `\`${one.name}\``)
          .join(', '),
        Object.keys(call.responses).join(', '),
      ]),
  )
  return table(['Call', 'Purpose', 'Query and headers', 'Statuses'], rows)
}

function example(method = '', path = ''): string {
  const { content } = description.paths[path]?.[method]?.responses['200'] ?? fail(`there is no call ${method} ${path}`)
  return fence('json', formatJson(content?.['application/json']?.example))
}

/** A variant of an object, such as a request with one status. `label` distinguishes it from other variants. */
type Variant = { label: string; schema: Schema }

function variantsOf(schema: Schema, label = ''): Variant[] {
  const resolved = resolve(schema)
  const variants = resolved.oneOf ?? resolved.anyOf
  if (variants === undefined) return [{ label: labelOf(resolved) ?? label, schema: resolved }]
  return variants.flatMap((one) => variantsOf(one, label))
}

const labelOf = ({ properties = {} }: Schema): string | undefined => {
  const label = (properties['status'] ?? properties['type'])?.const
  return typeof label === 'string' ? label : undefined
}

/** The descriptions of fields that differ between the variants of an object, such as `result`. */
const DISTINGUISHED: Readonly<Record<string, string>> = {
  status: 'State.',
  type: 'Kind of event.',
  data: 'The request.',
  result: '`data`, `files`, and `deleted_at`.',
  input: 'The fields that you sent.',
  endpoint: 'The endpoint without `/v1/`.',
}

/** Returns the table of an object's fields. The fields come from all variants of the object. */
function object(name = ''): string {
  const variants = variantsOf(schemas[name] ?? fail(`no schema is called ${name}`))
  return fieldTable(variants, /Body$|^New|Stamp$|^Destination$/.test(name) && name !== 'Stamp')
}

function fieldTable(variants: readonly Variant[], isSent: boolean): string {
  const labels = [...new Set(variants.map(({ label }) => label))]
  const names = [...new Set(variants.flatMap(({ schema }) => Object.keys(schema.properties ?? {})))]
  const rows = names.map((field) => {
    const found = variants.filter(({ schema }) => schema.properties?.[field] !== undefined)
    const shown = found.map(({ schema }) => schema.properties?.[field] ?? {})
    const types = [...new Set(shown.flatMap((one) => typeOf(one).split(', ')))]
    const isRequired = found.some(({ schema }) => schema.required?.includes(field))
    const present = labels.filter((label) => found.some((one) => one.label === label))
    const differs = types.length > 1
    const texts = [...new Set(shown.map(describe))].filter((one) => !/^Always `\S+` here\.$/.test(one))
    const text = (texts.length === 1 ? undefined : DISTINGUISHED[field]) ?? longest(texts)
    const when = present.length < labels.length ? listed(present) : isRequired ? 'always' : 'if set'
    const type = differs && !types.every((one) => one.startsWith('`')) ? 'object' : types.join(', ')
    return [`\`${field}\``, type, isSent ? (isRequired ? 'yes' : 'no') : when, `${text}${boundsOf(shown[0] ?? {})}`]
  })
  const isPlain = !isSent && rows.every(([, , when]) => when === 'always')
  if (!isPlain) return table(['Field', 'Type', isSent ? 'Required' : 'Present', 'Description'], rows)
  return table(
    ['Field', 'Type', 'Description'],
    rows.map(([field = '', type = '', , text = '']) => [field, type, text]),
  )
}

/** Returns a table of nested fields. `fields` are the fields of the schema `name` that contain the nested objects. */
function nested(name = '', ...fields: string[]): string {
  const rows = fields.flatMap((field) => {
    const { properties = {}, required = [] } = resolve(schemas[name]?.properties?.[field] ?? fail(`${name}.${field}`))
    return Object.entries(properties).map(([inner, schema]) => [
      `\`${field}.${inner}\``,
      typeOf(schema),
      required.includes(inner) ? 'yes' : 'no',
      `${describe(schema)}${boundsOf(schema)}`,
    ])
  })
  return table(['Field', 'Type', 'Required', 'Description'], rows)
}

const COMMON = ['source', 'webhook_url', 'customer', 'metadata']

function commonFields(): string {
  const { properties = {}, required = [] } = schemas['DocumentsReadBody'] ?? {}
  return fieldTable([{ label: '', schema: { properties, required } }], true)
}

function endpoints(media = ''): string {
  const rows = ENDPOINTS.filter((endpoint) => endpoint.media === media).map(({ name, price, priceUnit }) => {
    const body = schemas[`${pascal(name)}Body`] ?? fail(name)
    const own = Object.entries(body.properties ?? {}).filter(([field]) => !COMMON.includes(field))
    const fields = own.map(([field, schema]) => {
      const { properties } = resolve(schema)
      const isRequired = body.required?.includes(field) === true
      if (properties === undefined) {
        if (schema.enum !== undefined) return `\`${field}\` ${schema.enum.map((value) => `\`${value}\``).join(', ')}`
        const range = schema.minimum === undefined ? '' : ` ${schema.minimum} to ${schema.maximum}`
        return `\`${field}\`${range}${isRequired ? ', required' : defaultOf(schema)}`
      }
      return Object.entries(properties)
        .map(([inner, one]) => {
          const values = resolve(one).enum ?? []
          return `\`${field}.${inner}\`${values.length === 0 ? '' : ` ${values.map((value) => `\`${value}\``).join(', ')}`}${defaultOf(one)}`
        })
        .join('; ')
    })
    const cost = `$${toDollars(price).replace(/(?<!0)0+$/, '')} per ${priceUnit}`
    return [`\`POST /v1/${name}\``, fields.join('; '), cost]
  })
  return table(['Call', 'Fields besides the [common ones](requests.md#create-a-request)', 'Price'], rows)
}

const defaultOf = (schema: Schema): string =>
  schema.default === undefined ? '' : ` (default \`${String(schema.default)}\`)`

function operation(name = ''): string {
  const { data } = presentCatalog()
  const found = MEDIA_TYPES.map((media) => data[media].operations[name]).find((one) => one !== undefined)
  const { params } = found ?? fail(`no operation is called ${name}`)
  const rows = Object.entries(params).map(([param, { type, minimum, maximum, enum: values, ...more }]) => [
    `\`${param}\``,
    values === undefined
      ? `${type}${minimum === undefined ? '' : `, ${minimum} to ${maximum}`}`
      : values.map((value) => `\`${String(value)}\``).join(', '),
    more.required ? 'yes' : more.default === undefined ? 'no' : `no (\`${JSON.stringify(more.default)}\`)`,
    more.description,
  ])
  return table(['Parameter', 'Type', 'Required (default)', 'Description'], rows)
}

function operationMedia(): string {
  const rows = OPERATIONS.map((one) => [
    `[\`${one.name}\`](#${one.name})`,
    ...MEDIA_TYPES.map((media) => (one[media] === undefined ? '' : 'yes')),
    one.description,
  ])
  return table(['Operation', 'Images', 'Videos', 'PDFs', 'Effect'], rows)
}

function codes(): string {
  const rows = Object.entries(API_ERRORS).map(([code, status]) => [
    `${status} \`${ERROR_TYPES[status]}\``,
    `[\`${code}\`](../errors.md#${code})`,
    ERROR_MEANINGS[code as ApiErrorCode],
    ERROR_FIXES[code as ApiErrorCode],
  ])
  return table(['Status and type', 'Code', 'Meaning', 'Fix'], rows)
}

function failures(): string {
  const rows = FAILURE_CODES.map((code) => [
    `[\`${code}\`](../errors.md#${code})`,
    FAILURE_MEANINGS[code],
    ERROR_FIXES[code],
  ])
  return table(['Code', 'Meaning', 'Fix'], rows)
}

function tiers(): string {
  const row = (name: string, one: limits.Limits, daily: string) => [
    name,
    String(one.requestsPerMinute),
    String(one.concurrentRequests),
    formatBytes(one.maxSourceBytes),
    daily,
  ]
  return table(
    ['Key', 'Calls per minute', 'Concurrent requests', 'Largest source', 'Requests per day'],
    [
      row('Test', limits.TEST_LIMITS, String(limits.TEST_REQUESTS_PER_DAY)),
      row('Live, free account', limits.LIVE_LIMITS.free, 'no limit'),
      row('Live, paid account', limits.LIVE_LIMITS.paid, 'no limit'),
    ],
  )
}

function formats(): string {
  const rows = MEDIA_TYPES.map((media) => [
    `${media}s`,
    SOURCE_FORMATS[media].join(', '),
    OUTPUT_FORMATS[media].map((format) => `\`${format}\``).join(', '),
  ])
  return table(['Medium', 'Source', 'Result (default first)'], rows)
}

function fieldLimits(): string {
  const { MAX_METADATA, USAGE_DAYS, WAIT_SECONDS } = limits
  const body = (endpoint: string, field: string) => {
    const { minimum, maximum } = schemas[`${endpoint}Body`]?.properties?.[field] ?? fail(`${endpoint}.${field}`)
    return `${minimum} to ${maximum}`
  }
  return table(
    ['Field', 'Bound'],
    [
      ['`operations`', `1 to ${limits.MAX_OPERATIONS}`],
      ['`customer`', `${limits.MAX_CUSTOMER_LENGTH} characters`],
      [
        '`metadata`',
        `${MAX_METADATA.keys} keys of ${MAX_METADATA.keyLength} characters, text values of ${MAX_METADATA.valueLength}`,
      ],
      ['`Idempotency-Key`', `1 to ${limits.MAX_IDEMPOTENCY_KEY_LENGTH} characters`],
      ['URLs', `${limits.MAX_URL_LENGTH.toLocaleString('en')} characters`],
      ['`max_duration`', `${body('VideosProcess', 'max_duration')} s`],
      ['`max_pages`', body('DocumentsProcess', 'max_pages')],
      ['`seconds` of a screenshot', body('VideosScreenshot', 'seconds')],
      ['`page` of a snapshot', body('DocumentsSnapshot', 'page')],
      ['`limit` of a list', `1 to ${limits.LIST_LIMIT.maximum} (default ${limits.LIST_LIMIT.default})`],
      ['Usage range', `${USAGE_DAYS.maximum} days`],
      ['`Prefer: wait`', `1 to ${WAIT_SECONDS.maximum} s (default ${WAIT_SECONDS.default})`],
    ],
  )
}

function mediaLimits(): string {
  const { DEADLINE_MS, MAX_RESULT_BYTES } = limits
  const megapixels = (pixels: number) => `${(pixels / 1_000_000).toLocaleString('en')} megapixels`
  const sides = OUTPUT_FORMATS.image.map((format) => [
    `Side of a \`${format}\``,
    `${OUTPUT.image[format].maxSide.toLocaleString('en')} px`,
  ])
  const own = ENDPOINTS.flatMap(({ name, deadlineMs }) =>
    deadlineMs === undefined ? [] : `${deadlineMs / 1000} s for \`${name}\``,
  )
  return table(
    ['Limit', 'Value'],
    [
      ['Frame of a source, intermediate, or result image', megapixels(limits.MAX_FRAME_PIXELS)],
      ['All frames of an image together', megapixels(limits.MAX_SOURCE_PIXELS)],
      ['Work of an image request', `${megapixels(MAX_CHAIN_PIXELS)} (${describeWeights()})`],
      ...sides,
      ['Watermark image', `${formatBytes(limits.MAX_WATERMARK_BYTES)} and ${megapixels(limits.MAX_FRAME_PIXELS)}`],
      [
        'Result file',
        `${formatBytes(MAX_RESULT_BYTES.video)} for videos, ${formatBytes(MAX_RESULT_BYTES.image)} otherwise`,
      ],
      ['Pages of a document', '20,000'],
      ['Watermark copies on one page', MAX_COPIES.toLocaleString('en')],
      [
        'Processing time',
        `${DEADLINE_MS.image / 1000} s for images, ${DEADLINE_MS.document / 60_000} min for PDFs, ${DEADLINE_MS.video / 3_600_000} h for videos, ${own.join(', ')}`,
      ],
    ],
  )
}

const resolve = (schema: Schema): Schema => {
  const named = schemas[nameOf(schema.$ref)]
  return named === undefined ? schema : resolve(named)
}

const pascal = (path: string): string =>
  path.replaceAll(/(?:^|\/)(\w)/g, (_whole, letter: string) => letter.toUpperCase())

const describe = (schema: Schema): string => schema.description ?? resolve(schema).description ?? ''

function typeOf(schema: Schema): string {
  const { const: only, enum: values, type, items } = schema
  if (only !== undefined) return `\`${String(only)}\``
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ')
  if (items !== undefined) return 'array'
  if (schema.$ref === '#/components/schemas/Money') return 'Money'
  const variants = schema.oneOf ?? schema.anyOf
  if (variants !== undefined) return [...new Set(variants.map(typeOf))].join(' or ')
  if (schema.$ref !== undefined) return typeOf(resolve(schema))
  return Array.isArray(type) ? type.join(' or ') : (type ?? 'object')
}

function boundsOf({ minimum, maximum, minLength, maxLength, default: fallback }: Schema): string {
  const isBounded = minimum !== undefined && maximum !== undefined
  const isReal = isBounded && minimum > Number.MIN_SAFE_INTEGER && maximum < Number.MAX_SAFE_INTEGER
  return [
    isReal ? ` ${minimum} to ${maximum}.` : '',
    maxLength === undefined
      ? ''
      : ` ${minLength === undefined ? 'At most ' : `${minLength} to `}${maxLength} characters.`,
    fallback === undefined ? '' : ` Default \`${String(fallback)}\`.`,
  ].join('')
}

const longest = (texts: readonly string[]): string =>
  texts.reduce((one, other) => (other.length > one.length ? other : one), '')

const listed = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

function fail(problem: string): never {
  throw new RangeError(problem)
}
