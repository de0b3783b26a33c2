import { distanceOf } from '@mediamill/contract/lib/did-you-mean'
import type { CatalogParameter } from '@mediamill/contract/objects/catalog'

type Params = Readonly<Record<string, CatalogParameter>>

/** Splits the value of a flag at commas. A backslash before a comma keeps the comma in the word. */
export function splitWords(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((word) => word.replaceAll('\\,', ',').trim())
    .filter((word) => word !== '')
}

/** Returns the parameters that one word of a flag sets. `set` has earlier parameters. Throws `RangeError`. */
export function parseWord(word: string, params: Params, set: ReadonlyMap<string, unknown>): [string, unknown][] {
  const [, named, text = ''] = /^([a-z_][a-z0-9_]*)=(.*)$/is.exec(word) ?? []
  if (named !== undefined) return [[named, parseValue(named, text, paramNamed(named, params))]]
  if (params[word]?.type === 'boolean') return [[word, true]]
  const box = parseBox(word, params)
  if (box !== undefined) return box
  const [name, param] = Object.entries(params).find(([key, { required }]) => required && !set.has(key)) ?? []
  if (name === undefined || param === undefined) throw noParameterFor(word, params, set)
  return [[name, parseValue(name, word, param)]]
}

function parseBox(word: string, params: Params): [string, number][] | undefined {
  if (params['width'] === undefined || params['height'] === undefined) return undefined
  const match = /^(\d+)[x×](\d+)(?:([+-]\d+)([+-]\d+))?$/i.exec(word)
  if (match === null) return undefined
  const [, width = '', height = '', x, y] = match
  const texts = { width, height, ...(x !== undefined && y !== undefined && { x, y }) }
  return Object.entries(texts).map(([name, text]) => [name, parseNumber(name, text, paramNamed(name, params))])
}

function paramNamed(name: string, params: Params): CatalogParameter {
  const param = Object.hasOwn(params, name) ? params[name] : undefined
  if (param !== undefined) return param
  const names = Object.keys(params)
  const near = nearest(name, names)
  if (near !== undefined) throw new RangeError(`${name} is not a parameter of this operation. Did you mean ${near}?`)
  const known = names.length === 0 ? 'The operation has no parameters.' : `Parameters: ${names.join(', ')}.`
  throw new RangeError(`${name} is not a parameter of this operation. ${known}`)
}

export function parseValue(name: string, text: string, param: CatalogParameter): unknown {
  if (param.type === 'integer' || param.type === 'number') return parseNumber(name, text, param)
  if (param.type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new RangeError(`${name} must be true or false, not ${JSON.stringify(text)}.`)
  }
  if (text === '') throw new RangeError(`${name} must not be empty.`)
  if (param.enum === undefined || param.enum.includes(text)) return text
  const near = nearest(
    text,
    param.enum.map((value) => String(value)),
  )
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  throw new RangeError(`${name} must be one of ${param.enum.join(', ')}, not ${JSON.stringify(text)}.${hint}`)
}

function parseNumber(name: string, text: string, { type, minimum, maximum }: CatalogParameter): number {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  const range = minimum === undefined || maximum === undefined ? '' : ` from ${minimum} to ${maximum}`
  const isWritten = (type === 'integer' ? /^[+-]?\d+$/ : /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/).test(text)
  const value = Number(text)
  if (isWritten && value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)) return value
  throw new RangeError(`${name} must be ${kind}${range}, not ${JSON.stringify(text)}.`)
}

function noParameterFor(word: string, params: Params, set: ReadonlyMap<string, unknown>): RangeError {
  const free = Object.keys(params).filter((name) => !set.has(name))
  const near = nearest(word, free)
  if (near !== undefined)
    return new RangeError(`${JSON.stringify(word)} is not a parameter of this operation. Did you mean ${near}?`)
  const open = free.find((name) => params[name]?.type !== 'boolean')
  return new RangeError(
    open === undefined
      ? `Too many values: remove ${JSON.stringify(word)}.`
      : `${JSON.stringify(word)} needs a name, as in ${open}=${word}.`,
  )
}

export function nearest(typed: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, slips: distanceOf(typed.toLowerCase().replaceAll('-', '_'), name) }))
    .toSorted((one, other) => one.slips - other.slips)
  return best !== undefined && best.slips <= Math.floor(best.name.length / 3) ? best.name : undefined
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RangeError('It must be valid JSON.')
  }
}
