import { z } from 'zod'
import { MAX_DESTINATION, MAX_URL_LENGTH } from '../domain/limits.ts'

/** A URL, signed for a PUT, to which a result is also sent. */
export type Destination = { url: string; headers: Record<string, string> }

/** Matches headers that the large storage services read. Other headers are rejected (destinations.headers.1). */
const HEADER_NAME = /^(?:content-type|cache-control|content-disposition|x-(?:amz|goog|ms)-[a-z0-9][a-z0-9._-]*)$/i

/** Headers that responses may show, because they never contain a secret of the client. */
const SHOWN_HEADERS = ['content-type', 'cache-control', 'content-disposition']

const HEADER_VALUE = /^[!-~]+(?: +[!-~]+)*$/

function headerNameError(name: string, text: unknown, seen: ReadonlySet<string>) {
  if (!HEADER_NAME.test(name) || name.length > MAX_DESTINATION.nameLength) {
    return { code: 'unknown_parameter', message: 'cannot be sent to a destination. Leave it out' }
  }
  if (seen.has(name.toLowerCase())) return { code: 'invalid_value', message: 'must not be repeated' }
  if (typeof text !== 'string') return { code: 'invalid_type', message: 'must be a string' }
  if (text.length > MAX_DESTINATION.valueLength) {
    return { code: 'too_long', message: `must have at most ${MAX_DESTINATION.valueLength} characters` }
  }
  if (!HEADER_VALUE.test(text)) {
    return {
      code: 'invalid_value',
      message: 'must contain only visible ASCII characters, with spaces only between them',
    }
  }
  return undefined
}

/** The schema of the headers. A zod record would ignore `__proto__`, and distinguish upper and lower case. */
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
      const wrong = headerNameError(name, text, seen)
      if (wrong !== undefined) report(wrong.code, wrong.message, [name])
      seen.add(name.toLowerCase())
    }
  })
  .meta({
    type: 'object',
    maxProperties: MAX_DESTINATION.headers,
    additionalProperties: { type: 'string', maxLength: MAX_DESTINATION.valueLength },
  })

export const destination = z
  .strictObject({
    url: z
      .string()
      .meta({ format: 'uri', maxLength: MAX_URL_LENGTH, description: 'A public URL that is signed for a PUT.' }),
    headers: headers.optional().meta({
      description:
        'Headers to send with the file: content-type, cache-control, content-disposition, x-amz-*, x-goog-*, x-ms-*.',
    }),
  })
  .meta({ id: 'Destination', description: 'Also stores the file in your own bucket.' })

/** The destination of a file. `param` names the body field with the URL. `file` is the index of the result file. */
export type SentDestination = Destination & { param: string; file: number }

const withDestination = z.looseObject({ destination: destination.optional() })

export function takeDestinations(parameters: Record<string, unknown>): {
  destinations: SentDestination[]
  parameters: Record<string, unknown>
} {
  const destinations: SentDestination[] = []
  const rest = mapOutputs(parameters, (output, param, file) => {
    const { destination: taken, ...others } = output
    if (taken === undefined) return output
    destinations.push({ param: `${param}.destination.url`, file, url: taken.url, headers: taken.headers ?? {} })
    return others
  })
  return { destinations, parameters: rest }
}

/** Removes query strings and secret headers from destinations, because a signed URL grants write access. */
export function withoutSecrets(input: Record<string, unknown>): Record<string, unknown> {
  return mapOutputs(input, (output) => {
    if (output.destination === undefined) return output
    const [url] = output.destination.url.split(/[?#]/)
    const sent = Object.entries(output.destination.headers ?? {})
    const shown = sent.filter(([name]) => SHOWN_HEADERS.includes(name.toLowerCase()))
    const headers = shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }
    return { ...output, destination: { url, ...headers } }
  })
}

type MapOutput = (output: z.output<typeof withDestination>, param: string, file: number) => Record<string, unknown>

function mapOutputs(parameters: Record<string, unknown>, map: MapOutput): Record<string, unknown> {
  const { output, outputs } = parameters
  return {
    ...parameters,
    ...(output !== undefined && { output: map(withDestination.parse(output), 'output', 0) }),
    ...(Array.isArray(outputs) && {
      outputs: outputs.map((one, file) => map(withDestination.parse(one), `outputs.${file}`, file)),
    }),
  }
}

/** Returns whether a signed URL has expired at the time `now`. Reads the parameters `X-Amz-*` or `X-Goog-*`. */
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
