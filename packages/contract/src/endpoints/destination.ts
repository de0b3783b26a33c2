import { z } from 'zod'
import { MAX_DESTINATION, MAX_URL_LENGTH } from '../domain/limits.ts'

/**
 * A place besides our own store that a result is put to. It is a URL that is signed for a PUT, and what is sent with
 * it.
 */
export type Destination = { url: string; headers: Record<string, string> }

/** The headers that the stores of the big providers read; any other is refused (rulings 18). */
const HEADER_NAME = /^(?:content-type|cache-control|content-disposition|x-(?:amz|goog|ms)-[a-z0-9][a-z0-9._-]*)$/i

/** Those whose values can hold no key of the client's. */
const SHOWN_HEADERS = ['content-type', 'cache-control', 'content-disposition']

/** What a header may hold: visible ASCII, with spaces inside. */
const HEADER_VALUE = /^[!-~]+(?: +[!-~]+)*$/

function wrongWith(name: string, text: unknown, seen: ReadonlySet<string>) {
  // wall: a header that no store reads
  if (!HEADER_NAME.test(name) || name.length > MAX_DESTINATION.nameLength) {
    return { code: 'unknown_parameter', message: 'is not a header that can be sent to a destination' }
  }
  if (seen.has(name.toLowerCase())) return { code: 'invalid_value', message: 'must be there once' }
  if (typeof text !== 'string') return { code: 'invalid_type', message: 'must be a string' }
  if (text.length > MAX_DESTINATION.valueLength) {
    return { code: 'too_long', message: `must have at most ${MAX_DESTINATION.valueLength} characters` }
  }
  // wall: a line break in a header of a destination
  if (!HEADER_VALUE.test(text)) {
    return { code: 'invalid_value', message: 'must be visible ASCII, with spaces only inside' }
  }
  return undefined
}

/** Checked by hand: a record of zod's skips a key named `__proto__`, and leaves others as they are written. */
const headers = z
  .custom<Record<string, string>>()
  .superRefine((value: unknown, context) => {
    const report = (code: string, message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', message, path, params: { code } })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report('invalid_type', 'must be an object')
      return
    }
    const entries = Object.entries(value)
    if (entries.length > MAX_DESTINATION.headers)
      report('too_long', `must have at most ${MAX_DESTINATION.headers} keys`)
    const seen = new Set<string>()
    for (const [name, text] of entries.slice(0, 10 * MAX_DESTINATION.headers)) {
      const wrong = wrongWith(name, text, seen)
      if (wrong !== undefined) report(wrong.code, wrong.message, [name])
      seen.add(name.toLowerCase())
    }
  })
  .meta({
    type: 'object',
    maxProperties: MAX_DESTINATION.headers,
    additionalProperties: { type: 'string', maxLength: MAX_DESTINATION.valueLength },
  })

/** The optional `destination` of an endpoint that makes a file. */
export const destination = z
  .strictObject({
    url: z
      .string()
      .meta({ format: 'uri', maxLength: MAX_URL_LENGTH, description: 'A public URL that is signed for a PUT.' }),
    headers: headers.optional().meta({
      description: 'Sent with the file: content-type, cache-control, content-disposition, x-amz-*, x-goog-*, x-ms-*.',
    }),
  })
  .meta({ id: 'Destination', description: 'Where the file is put as well: a bucket of your own.' })

/** Splits the destination off an endpoint's parameters. Engines need not know of it. */
export function takeDestination(parameters: Record<string, unknown>): {
  destination: Destination | null
  parameters: Record<string, unknown>
} {
  if (!hasDestination(parameters)) return { destination: null, parameters }
  const sent = z.looseObject({ output: z.looseObject({ destination }) }).parse(parameters)
  const { destination: taken, ...output } = sent.output
  return {
    destination: { url: taken.url, headers: taken.headers ?? {} },
    parameters: { ...parameters, output },
  }
}

function hasDestination({ output }: Record<string, unknown>): boolean {
  return typeof output === 'object' && output !== null && 'destination' in output
}

/**
 * Returns an `input` as it may be kept and shown. Of its destination that is the host and the path, and headers without
 * keys in them.
 *
 * Whoever has the query of a signed URL can write to the bucket.
 */
export function withoutSecrets(input: Record<string, unknown>): Record<string, unknown> {
  const { destination: sent } = takeDestination(input)
  if (sent === null) return input
  const output = z.looseObject({}).parse(input['output'])
  const [url] = sent.url.split(/[?#]/)
  const shown = Object.entries(sent.headers).filter(([name]) => SHOWN_HEADERS.includes(name.toLowerCase()))
  const headers = shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }
  // wall: the signature of a destination in what is shown
  return { ...input, output: { ...output, destination: { url, ...headers } } }
}

/**
 * Tells whether a URL signed for a time says itself that it is over. `X-Amz-Date` and `X-Goog-Date` count in seconds.
 */
export function isOver(url: string, now: Date): boolean {
  const query = URL.parse(url)?.searchParams ?? new URLSearchParams()
  const named = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]))
  return ['x-amz', 'x-goog'].some((prefix) => {
    const signed = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(named.get(`${prefix}-date`) ?? '')
    const seconds = /^\d{1,9}$/.exec(named.get(`${prefix}-expires`) ?? '')
    if (signed === null || seconds === null) return false
    const [year = 0, month = 1, day, hour, minute, second] = signed.slice(1).map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) + Number(seconds[0]) * 1000 <= now.getTime()
  })
}
