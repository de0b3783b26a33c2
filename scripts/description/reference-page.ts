import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import GithubSlugger from 'github-slugger'
import { describeApi, WRITTEN_ADDRESS } from './document.ts'
import { fence, formatJson, table } from './markdown.ts'
import { UNAVAILABLE } from './rejections.ts'

type Plain = string | number | boolean
export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  const?: Plain
  enum?: Plain[]
  default?: Plain
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}
type Parameter = {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  required: boolean
  schema: Schema
  example?: string | number
}
type Content = Record<string, { schema: Schema; example?: unknown }>
type Response = { $ref?: string; description: string; content?: Content; headers?: Record<string, { $ref: string }> }
type Operation = {
  tags: string[]
  summary: string
  description: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, Response>
}
export type Description = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    parameters: Record<string, Parameter>
    headers: Record<string, { description: string }>
  }
}

type Section = { depth: 2 | 3; title: string; text: () => string }

/** Returns the content of docs/reference/calls.md. */
export function referenceMarkdown(): string {
  return new ReferencePage(describeApi() as Description).markdown()
}

const TITLE = 'Every call'

class ReferencePage {
  readonly #description: Description
  readonly #anchors: ReadonlyMap<string, string>
  readonly #sections: readonly Section[]

  constructor(description: Description) {
    this.#description = description
    const { schemas } = description.components
    this.#sections = [...this.#calls(), this.#headers(), ...this.#schemas()]
    const slugger = new GithubSlugger()
    slugger.slug(TITLE)
    const slugs = this.#sections.map(({ title }) => [title, slugger.slug(title)] as const)
    // Schemas come last on the page. If several headings have a schema's name, the last heading is the schema's.
    this.#anchors = new Map(slugs.filter(([title]) => Object.hasOwn(schemas, title)))
  }

  markdown(): string {
    return `# ${TITLE}
Every call with its parameters, responses, and an example. The examples run in a shell with the address of the service in \`MEDIAMILL_URL\` and an API key in \`MEDIAMILL_API_KEY\`:

\`\`\`sh
export MEDIAMILL_URL=${WRITTEN_ADDRESS} MEDIAMILL_API_KEY=svc_test_…
\`\`\`

To generate a client, use the [OpenAPI description](${WRITTEN_ADDRESS}/v1/openapi.json). The [API reference](README.md) has the rules that apply to all calls, and [Errors](../errors.md) explains each error code.

Every call can also return 503 [\`server_error\`](../errors.md#server_error) with \`Retry-After\`, while the service starts or its database is unavailable.

${this.#sections.map(({ depth, title, text }) => `${'#'.repeat(depth)} ${title}\n${text()}`.trimEnd()).join('\n\n')}
`
  }

  #calls(): Section[] {
    const { tags, paths, webhooks } = this.#description
    const calls = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([verb, call]) => ({ title: `${verb.toUpperCase()} ${path}`, verb, path, call })),
    )
    const events = Object.entries(webhooks).flatMap(([event, methods]) =>
      Object.values(methods).map((call) => ({ title: event, call })),
    )
    return tags.flatMap(({ name, description }): Section[] => [
      { depth: 2, title: name, text: () => description },
      ...calls
        .filter(({ call }) => call.tags.includes(name))
        .map(
          ({ title, verb, path, call }): Section => ({ depth: 3, title, text: () => this.#callText(verb, path, call) }),
        ),
      ...events
        .filter(({ call }) => call.tags.includes(name))
        .map(({ title, call }): Section => ({ depth: 3, title, text: () => this.#eventText(call) })),
    ])
  }

  #headers(): Section {
    const { components, paths } = this.#description
    const responses = [
      ...Object.values(paths).flatMap((methods) =>
        Object.values(methods).flatMap((call) => Object.values(call.responses)),
      ),
      ...Object.values(components.responses),
    ]
    const names = new Map(responses.flatMap(({ headers = {} }) => Object.entries(headers)))
    const rows = [...names].map(([name, { $ref }]) => [
      `\`${name}\``,
      components.headers[nameOf($ref)]?.description ?? '',
    ])
    return { depth: 2, title: 'Response headers', text: () => table(['Header', 'Description'], rows) }
  }

  #schemas(): Section[] {
    const { schemas } = this.#description.components
    const sections = Object.entries(schemas).map(([name, schema]): Section => {
      const { description = '' } = schema
      return {
        depth: 3,
        title: name,
        text: () => [description, ...this.#variants(schema), this.#fields(schema)].join('\n\n'),
      }
    })
    return [{ depth: 2, title: 'Schemas', text: () => 'The objects that calls send and return.' }, ...sections]
  }

  #callText(verb: string, path: string, call: Operation): string {
    const parameters = this.#parametersOf(call)
    return [
      `**${call.summary}.** ${call.description}`,
      ...this.#playground(path),
      fence('sh', curl(verb, path, call, parameters)),
      ...this.#example(call),
      ...this.#parameterTable(parameters),
      ...this.#body(call),
      this.#responses(call),
    ].join('\n\n')
  }

  #eventText(call: Operation): string {
    const example = Object.values(call.requestBody?.content ?? {})[0]?.example
    return [
      `**${call.summary}.** ${call.description}`,
      ...this.#parameterTable(this.#parametersOf(call)),
      ...this.#body(call),
      ...(example === undefined ? [] : [fence('json', formatJson(example))]),
    ].join('\n\n')
  }

  /** Returns a link to the console. The server omits it if the console is off. */
  #playground(path: string): string[] {
    const endpoint = ENDPOINTS.find(({ name }) => path === `/v1/${name}`)
    if (endpoint === undefined) return []
    const address = `${WRITTEN_ADDRESS}/console/playground?endpoint=${encodeURIComponent(endpoint.name)}`
    return [`[Try this call in the playground](${address}).`]
  }

  #parametersOf({ parameters = [] }: Operation): Parameter[] {
    return parameters.map((one) => this.#description.components.parameters[nameOf(one.$ref)] ?? one)
  }

  #parameterTable(parameters: readonly Parameter[]): string[] {
    if (parameters.length === 0) return []
    const rows = parameters.map(({ name, in: location, required, description, schema }) => [
      `\`${name}\``,
      `${this.#type(schema)}, in the ${location}`,
      required ? 'yes' : 'no',
      `${description}${boundsOf(schema)}`,
    ])
    return [table(['Parameter', 'Type', 'Required', 'Description'], rows)]
  }

  #body({ requestBody }: Operation): string[] {
    return Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
      const named = this.#description.components.schemas[nameOf((schema.anyOf?.[0] ?? schema).$ref)]
      if (schema.format === 'binary') return [`Body (\`${type}\`): the bytes of the file.`]
      const fields = named?.properties === undefined ? [] : [this.#fields(named)]
      return [`Body (\`${type}\`): ${this.#type(schema)}`, ...fields]
    })
  }

  #fields({ properties = {}, required = [] }: Schema): string {
    const rows = Object.entries(properties).map(([name, schema]) => [
      `\`${name}\``,
      this.#type(schema),
      required.includes(name) ? 'yes' : 'no',
      `${schema.description ?? this.#description.components.schemas[nameOf(schema.$ref)]?.description ?? ''}${boundsOf(schema)}`,
    ])
    return rows.length === 0 ? '' : table(['Field', 'Type', 'Required', 'Description'], rows)
  }

  #variants({ oneOf }: Schema): string[] {
    return oneOf === undefined ? [] : [`One of ${oneOf.map((one) => this.#type(one)).join(', ')}.`]
  }

  #responses({ responses }: Operation): string {
    const own = Object.entries(responses).filter(([, { $ref }]) => nameOf($ref) !== UNAVAILABLE)
    const rows = own.map(([status, response]) => {
      const named = this.#description.components.responses[nameOf(response.$ref)]
      if (named !== undefined) return [status, named.description.replaceAll(/`(\w+)`:/g, '[`$1`](../errors.md#$1):')]
      const types = Object.values(response.content ?? {}).map(({ schema }) => this.#type(schema))
      const objects = [...new Set(types.filter((type) => type.startsWith('[')))]
      return [status, [...objects.map((type) => `${type}.`), response.description].join(' ')]
    })
    return table(['Status', 'Response'], rows)
  }

  #example({ responses }: Operation): string[] {
    const contents = Object.values(responses).map(({ content = {} }) => Object.entries(content)[0])
    const [type, example] = contents
      .flatMap((content) => (content === undefined ? [] : [[content[0], content[1].example] as const]))
      .find(([, one]) => one !== undefined) ?? ['', undefined]
    if (example === undefined) return []
    if (typeof example === 'string') return [`Response (\`${type}\`):`, fence('', example.trimEnd())]
    return ['Response:', fence('json', formatJson(example))]
  }

  #type(schema: Schema): string {
    const { $ref, type, format, items, oneOf, anyOf } = schema
    if ($ref !== undefined) return `[${nameOf($ref)}](#${this.#anchors.get(nameOf($ref)) ?? ''})`
    if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
    if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ')
    const variants = oneOf ?? anyOf
    if (variants !== undefined) return variants.map((one) => this.#type(one)).join(' or ')
    if (items !== undefined) return `array of ${this.#type(items)}`
    const name = Array.isArray(type) ? type.join(' or ') : (type ?? 'any')
    return format === undefined ? name : `${name} (${format})`
  }
}

export const nameOf = (ref = ''): string => ref.split('/').at(-1) ?? ''

function boundsOf(schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, maxProperties } = schema
  const bounds = [
    rangeOf(minimum, maximum, ''),
    exclusiveMinimum === undefined ? '' : `More than ${exclusiveMinimum}`,
    rangeOf(minLength, maxLength, ' characters'),
    rangeOf(minItems, maxItems, ' items'),
    rangeOf(undefined, maxProperties, ' entries'),
  ]
  return bounds
    .filter((bound) => bound !== '')
    .map((bound) => ` ${bound}.`)
    .join('')
}

function rangeOf(low: number | undefined, high: number | undefined, unit: string): string {
  // The limits of safe integers apply to every number, so the page omits them.
  const min = low === Number.MIN_SAFE_INTEGER ? undefined : low
  const max = high === Number.MAX_SAFE_INTEGER ? undefined : high
  if (min === undefined && max === undefined) return ''
  if (max === undefined) return `At least ${min}${unit}`
  return min === undefined ? `At most ${max}${unit}` : `${min} to ${max}${unit}`
}

function curl(verb: string, path: string, call: Operation, parameters: readonly Parameter[]): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    String(parameters.find((one) => one.in === 'path' && one.name === name)?.example ?? name.toUpperCase()),
  )
  const needed = parameters.filter(({ in: location, required }) => location === 'query' && required)
  const query = needed.map(({ name }) => `${name}=${name.toUpperCase()}`).join('&')
  const method = { get: '', post: '', head: '--head ' }[verb] ?? `-X ${verb.toUpperCase()} `
  const url = `"$MEDIAMILL_URL${filled}${query === '' ? '' : `?${query}`}"`
  const [type, content] = Object.entries(call.requestBody?.content ?? {})[0] ?? []
  const sent = parameters.filter(
    ({ in: location, required, name }) => location === 'header' && (required || name === 'Prefer'),
  )
  const options = [
    ...(call.security?.length === 0 ? [] : ['-H "Authorization: Bearer $MEDIAMILL_API_KEY"']),
    ...sent.map(({ name, example = 'wait=30' }) => `-H '${name}: ${String(example)}'`),
    ...(type === undefined ? [] : [`-H 'Content-Type: ${type}'`]),
    ...(content === undefined ? (verb === 'post' ? ["-d ''"] : []) : [dataOf(content.example)]),
  ]
  return [`curl ${method}${url}`, ...options].join(' \\\n  ')
}

function dataOf(example: unknown): string {
  if (example === undefined) return '--data-binary @photo.jpg'
  const json = formatJson(example).replaceAll("'", "'\\''")
  return `-d '${json}'`
}
