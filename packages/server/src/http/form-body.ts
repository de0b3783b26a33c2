import { ApiError } from '@mediamill/contract/domain/errors'
import type { Fields } from '@mediamill/contract/endpoints/body-fields'
import { ownSchema } from '@mediamill/contract/endpoints/describe-schema'
import { VARIABLES } from '@mediamill/contract/endpoints/template-fields'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { parseJson } from './json-body.ts'

type FormParts = { texts: ReadonlyMap<string, string>; files: ReadonlyMap<string, string> }

export const REQUEST_PART = 'request'

const REFERENCE = 'part:'

/** Returns the JSON body of a form whose files are already stored. Throws `validation_failed` for an invalid form. */
export function bodyOfForm(fields: Fields, { texts, files }: FormParts): unknown {
  const request = texts.get(REQUEST_PART)
  const base = request === undefined ? {} : jsonOf(REQUEST_PART, request)
  if (typeof base !== 'object' || base === null || Array.isArray(base)) {
    throw invalid(REQUEST_PART, 'request must be a JSON object.')
  }
  const sent = [...texts].filter(([name]) => name !== REQUEST_PART)
  const source = files.get('source')
  const parts = [
    ...sent.map(([name, text]): [string, unknown] => [name, fieldOf(fields, name, text)]),
    ...(source === undefined ? [] : [['source', source] as [string, unknown]]),
  ]
  const twice = parts.find(([name]) => Object.hasOwn(base, name))
  if (twice !== undefined)
    throw invalid(twice[0], `${twice[0]} is in the part "request" and also in its own part. Send it only once.`)
  const used = new Set(['source'])
  const body = withUploads(Object.fromEntries([...Object.entries(base), ...parts]), files, used)
  const unused = [...files.keys()].find((name) => !used.has(name))
  if (unused !== undefined) {
    throw new ApiError(
      'validation_failed',
      `The form has a file part ${JSON.stringify(unused)} that nothing uses. Name the file to process "source", and reference another file as "image_url": ${JSON.stringify(REFERENCE + unused)}.`,
    )
  }
  return body
}

function fieldOf(fields: Fields, name: string, text: string): unknown {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  const type = field === undefined ? 'string' : ownSchema(field)._zod.def.type
  if (type === 'string' || type === 'enum') return text
  // An invalid number or constant stays text, so that the validation error lists the valid values.
  if (/^\s*[[{]/.test(text) || type === 'array' || type === 'object' || type === 'custom') return jsonOf(name, text)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function jsonOf(name: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw invalid(name, `${name}: ${error.message.replace(/^The body/, 'the part')}`)
  }
}

/** Replaces each `part:NAME`, which can occur in `image_url` and in template variables, with the part's upload. */
function withUploads(value: unknown, files: ReadonlyMap<string, string>, used: Set<string>, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withUploads(item, files, used, `${path}${index}.`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (path === '' && name === 'metadata') return [name, member]
      const namesFile = name === 'image_url' || path === `${VARIABLES}.`
      if (!namesFile || typeof member !== 'string' || !member.startsWith(REFERENCE)) {
        return [name, withUploads(member, files, used, `${path}${name}.`)]
      }
      const part = member.slice(REFERENCE.length)
      if (part === 'source') {
        throw invalid(path + name, `${path + name} cannot be the file part "source". Send the image as another part.`)
      }
      const upload = files.get(part)
      if (upload === undefined) throw noSuchPart(path + name, part, [...files.keys()])
      used.add(part)
      return [name, upload]
    }),
  )
}

function noSuchPart(param: string, part: string, names: readonly string[]): ApiError {
  const others = names.filter((name) => name !== 'source')
  const has = others.length === 0 ? 'only source' : others.map((name) => JSON.stringify(name)).join(', ')
  const shown = JSON.stringify(part.slice(0, 100))
  return invalid(param, `${param} names the file part ${shown}, which the form does not have (file parts: ${has}).`)
}

const invalid = (param: string, message: string) => validationFailed([{ param, code: 'invalid_value', message }])
