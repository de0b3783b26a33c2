import { createHash } from 'node:crypto'
import { uploadIdOf } from '@mediamill/contract/domain/uploads'
import { VARIABLES } from '@mediamill/contract/endpoints/template-fields'
import type { Runner } from '../db/connection/connect.ts'
import type { UploadOwner } from '../db/uploads/uploads.ts'
import { findDigests } from '../db/uploads/uploads.ts'

export type Fingerprint = {
  /** The hash of method, path, and body. The order of JSON keys and white space do not matter. */
  exact: Buffer
  /** Like `exact`, but with an upload's sha256 instead of its id, and a presigned URL without its signature. */
  content: Buffer
}

type Call = { method: string; path: string; body: unknown }

/** Hashes a call, with the sha256 of its uploads from `findDigests`, or with their ids if they have no sha256. */
export async function fingerprintOf(
  { method, path, body }: Call,
  findDigests: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<Fingerprint> {
  const hash = (value: unknown) =>
    createHash('sha256')
      .update(`${method} ${path}\n${canonical(value)}`)
      .digest()
  const ids = new Set<string>()
  replaceUrls(body, (url) => {
    const id = uploadIdOf(url)
    if (id !== undefined) ids.add(id)
    return url
  })
  const digests = ids.size === 0 || ids.size > MAX_UPLOADS ? new Map<string, string>() : await findDigests([...ids])
  const normal = replaceUrls(body, (url) => {
    const digest = digests.get(uploadIdOf(url) ?? '')
    return digest === undefined ? withoutSignature(url) : `sha256:${digest}`
  })
  return { exact: hash(body), content: hash(normal) }
}

/** Hashes a call of an account. `files`: the files of the call's form. They are not uploads yet. */
export async function fingerprintOfCall(
  sql: Runner,
  owner: UploadOwner,
  call: Call,
  files: readonly { id: string; sha256: string }[] = [],
): Promise<Fingerprint> {
  const own = new Map(files.map(({ id, sha256 }) => [id, sha256]))
  return await fingerprintOf(call, async (ids) => {
    const others = ids.filter((id) => !own.has(id))
    return others.length === 0 ? own : new Map([...own, ...(await findDigests(sql, owner, others))])
  })
}

const MAX_UPLOADS = 21

const URL_MEMBERS = new Set(['source', 'image_url'])
const LISTS = new Set(['operations', 'outputs'])
const OBJECTS = new Set(['output', 'destination'])

/** Guesses whether the value of a template variable is a URL. Does not read the template. */
const isUrl = (value: unknown): value is string => typeof value === 'string' && /^(?:https?:\/\/|upload:)/i.test(value)

/** Replaces the URLs of files in a body that is not validated yet. */
function replaceUrls(value: unknown, replace: (url: string) => string, isDestination = false): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const namesFile = URL_MEMBERS.has(name) || (isDestination && name === 'url')
      if (namesFile && typeof member === 'string') return [name, replace(member)]
      if (LISTS.has(name) && Array.isArray(member)) return [name, member.map((one) => replaceUrls(one, replace))]
      if (name === VARIABLES && typeof member === 'object' && member !== null) {
        const values = Object.entries(member).map(([key, value]) => [key, isUrl(value) ? replace(value) : value])
        return [name, Object.fromEntries(values)]
      }
      if (OBJECTS.has(name)) return [name, replaceUrls(member, replace, name === 'destination')]
      return [name, member]
    }),
  )
}

const SIGNED_BY_AMAZON_OR_GOOGLE = /^x-(?:amz|goog)-/i
const SIGNED_BY_AZURE = new Set(['sig', 'se', 'sv', 'st', 'sp', 'spr', 'sr'])

function withoutSignature(url: string): string {
  const start = url.indexOf('?')
  if (start === -1) return url
  const [query = '', ...fragment] = url.slice(start + 1).split('#')
  const parameters = query.split('&').map((text) => ({ text, name: text.split('=', 1)[0] ?? '' }))
  const isAzure = parameters.some(({ name }) => name === 'sig')
  const kept = parameters.filter(
    ({ name }) => !SIGNED_BY_AMAZON_OR_GOOGLE.test(name) && !(isAzure && SIGNED_BY_AZURE.has(name)),
  )
  if (kept.length === parameters.length) return url
  const rest = kept.map(({ text }) => text).join('&')
  return [url.slice(0, start) + (rest === '' ? '' : `?${rest}`), ...fragment].join('#')
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, item]) => `${JSON.stringify(name)}:${canonical(item)}`).join(',')}}`
}
