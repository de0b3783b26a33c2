export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

export type Schemas = Record<string, Schema>

const TAKES_FILES = new Set(['source', 'image_url'])

/** Returns the declarations of types. Types of bodies have names that end in `Params`, and accept files as sources. */
export function printTypes(schemas: Schemas): string[] {
  const bodies = Object.keys(schemas).filter((name) => name.endsWith('Body'))
  const sent = reachable(schemas, [...bodies, 'NewUpload', 'NewStamp'])
  const wire = Object.keys(schemas).filter((name) => !bodies.includes(name))
  const params = Object.keys(schemas).filter((name) => sent.has(name) && takesFiles(schemas, name))
  return [
    ...wire.map((name) => declare(name, schemas[name], { open: !sent.has(name), params: new Set() })),
    ...params.map((name) => declare(paramsName(name), schemas[name], { open: false, params: new Set(params) })),
  ]
}

export function printQuery(name: string, fields: readonly { name: string; description: string; schema: Schema }[]) {
  const properties = Object.fromEntries(fields.map((field) => [field.name, { ...field.schema, ...field }]))
  const description = 'The query parameters of a call.'
  return declare(name, { type: 'object', description, properties }, { open: false, params: new Set() })
}

type Context = { open: boolean; params: ReadonlySet<string> }

function declare(name: string, schema: Schema | undefined, context: Context): string {
  if (schema === undefined) throw new Error(`The description has no schema ${name}.`)
  return `${comment(schema.description, '')}export type ${name} = ${print(schema, context, '')}`
}

function print(schema: Schema, context: Context, indent: string): string {
  if (schema.$ref !== undefined) return named(schema.$ref, context)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum !== undefined) {
    // Accept other strings, because a later version may add values. Editors still suggest the known values.
    return [...schema.enum.map(literal), ...(context.open ? ['(string & {})'] : [])].join(' | ')
  }
  const union = schema.oneOf ?? schema.anyOf
  if (union !== undefined) return union.map((one) => print(one, context, indent)).join(' | ')
  if (Array.isArray(schema.type))
    return schema.type.map((type) => print({ ...schema, type }, context, indent)).join(' | ')
  if (schema.type === 'array') return `Array<${print(schema.items ?? {}, context, indent)}>`
  if (schema.type === 'object') return printObject(schema, context, indent)
  return schema.type === undefined ? 'unknown' : (SCALARS[schema.type] ?? schema.type)
}

const SCALARS: Record<string, string> = { integer: 'number' }

function printObject(schema: Schema, context: Context, indent: string): string {
  const rest = schema.additionalProperties
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0)
    return `Record<string, ${typeof rest === 'object' ? print(rest, context, indent) : 'unknown'}>`
  const inner = `${indent}  `
  const lines = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) === true ? '' : '?'
    const isFile = context.params.size > 0 && TAKES_FILES.has(name)
    const type = isFile ? 'MediaSource' : print(field, context, inner)
    const described = isFile
      ? `${field.description} This library also accepts the file or the upload object itself.`
      : field.description
    const text = [described, limitsOf(field)].filter((one) => one !== undefined).join(' ') || undefined
    const orUndefined = optional === '' || type === 'unknown' ? '' : ' | undefined'
    return `${comment(text, inner)}${inner}${/^\w+$/.test(name) ? name : `'${name}'`}${optional}: ${type}${orUndefined}`
  })
  return `{\n${lines.join('\n')}\n${indent}}`
}

function limitsOf(field: Schema): string | undefined {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties } = field
  if (maxProperties !== undefined) return `At most ${maxProperties} keys.`
  if (field.type === 'array') return rangeOf('items', minItems, maxItems)
  if (field.type === 'string') return rangeOf('characters', minLength, maxLength)
  const range = rangeOf('', minimum, Math.abs(maximum ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : maximum)
  return field.type === 'integer' && range !== undefined
    ? `Integer, ${range.charAt(0).toLowerCase()}${range.slice(1)}`
    : range
}

function rangeOf(unit: string, from: number | undefined, to: number | undefined): string | undefined {
  const text =
    from === undefined
      ? to === undefined
        ? ''
        : `At most ${to}`
      : to === undefined
        ? `At least ${from}`
        : `${from} to ${to}`
  return text === '' ? undefined : `${`${text} ${unit}`.trim()}.`
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

const nameOf = (ref: string) => ref.replace('#/components/schemas/', '')

const named = (ref: string, { params }: Context) => (params.has(nameOf(ref)) ? paramsName(nameOf(ref)) : nameOf(ref))

const paramsName = (name: string) => (name.endsWith('Body') ? name.replace(/Body$/, 'Params') : `${name}Params`)

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll(/\s*\n\s*/g, ' ')} */\n`
}

/** Returns `names`, and the names of all schemas that these schemas use. */
function reachable(schemas: Schemas, names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const queue = names.filter((name) => schemas[name] !== undefined)
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue
    found.add(name)
    queue.push(...refsOf(schemas[name]))
  }
  return found
}

function takesFiles(schemas: Schemas, name: string): boolean {
  return [...reachable(schemas, [name])].some((used) =>
    Object.keys(schemas[used]?.properties ?? {}).some((field) => TAKES_FILES.has(field)),
  )
}

const refsOf = (schema: unknown): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1] ?? '')
