import { joinList } from '@mediamill/contract/lib/format-text'
import { wrongServer } from '../db/connection/address.ts'
import { readCertificates, tlsOf } from '../db/connection/tls.ts'

export type StorageLocation = {
  bucket: string
  prefix: string
  endpoint: string | undefined
  region: string | undefined
}

type Parse<Value> = (text: string) => Value | undefined

/** A setting. `docs/operate/configuration.md` and `mediamill serve --help` are generated from all settings. */
export type Setting<Value = unknown> = {
  variable: string
  fallback: string
  value: Value
  /** Returns the value, or `undefined` for invalid text, or throws `RangeError` with a reason instead of `allowed`. */
  parse: Parse<NonNullable<Value>>
  allowed: string
  meaning: string
  /** The only role that reads the setting. If missing, all roles read it. */
  role?: 'api' | 'worker' | 'serve'
  /** Whether the value is secret. A secret value is never printed, not even in an error message. */
  secret?: boolean
  shown?: (text: string) => string | undefined
}

export const setting = <Value>(declaration: Setting<Value>): Setting<Value> => declaration

export const optional = <Value>(declaration: Omit<Setting<Value>, 'value'>): Setting<Value | undefined> => ({
  ...(declaration as Omit<Setting<Value | undefined>, 'value'>),
  value: undefined,
})

export function integer(minimum: number, maximum: number, unit = '') {
  const parse: Parse<number> = (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= minimum && value <= maximum ? value : undefined
  }
  return { parse, allowed: `a whole number${unit}, ${minimum} to ${maximum}` }
}

export function oneOf<const Word extends string>(...words: [Word, ...Word[]]) {
  const parse: Parse<Word> = (text) => words.find((word) => word === text)
  return { fallback: words[0], value: words[0] as Word, parse, allowed: joinList(words, 'or') }
}

export function hosts(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim())
  return names.every((name) => URL.parse(`https://${name}`)?.host === name) ? names : undefined
}

export function ratio(text: string): number | undefined {
  const value = /^\d(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
  return value <= 1 ? value : undefined
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration such as `90s`, `15m`, `12h`, or `7d` to milliseconds. The maximum is ten years. */
export function duration(text: string): number | undefined {
  const match = /^(\d{1,9})([smhd])$/.exec(text)
  if (match === null) return undefined
  const ms = Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
  return ms > 0 && ms <= 3650 * UNIT_MS.d ? ms : undefined
}

/** Parses a duration up to `maxDays`, which must be under 24.8, because Node.js fires a longer timer immediately. */
export const durationUpTo =
  (maxDays: number) =>
  (text: string): number | undefined => {
    const ms = duration(text)
    return ms !== undefined && ms <= maxDays * UNIT_MS.d ? ms : undefined
  }

export const durationOrOff = (text: string): number | undefined => (/^(0|off)$/.test(text) ? 0 : duration(text))

const UNIT_BYTES = { '': 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }

/** Parses a size such as `25MB` or `26214400` to bytes. Units are binary (limits.sizes.1). */
export function bytes(text: string): number | undefined {
  const match = /^(\d{1,15})(|KB|MB|GB)$/i.exec(text)
  if (match === null) return undefined
  const size = Number(match[1]) * UNIT_BYTES[(match[2] ?? '').toUpperCase() as keyof typeof UNIT_BYTES]
  return size > 0 && Number.isSafeInteger(size) ? size : undefined
}

export function host(text: string): string | undefined {
  const inUrl = text.includes(':') ? `[${text}]` : text
  return /^(\[[\da-f:.]+\]|[a-z\d_.-]+)$/i.test(inUrl) && URL.canParse(`http://${inUrl}/`) ? text : undefined
}

export function httpEndpoint(text: string): string | undefined {
  const url = parseUrl(text, 'http:', 'https:')
  if (url === undefined || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return undefined
  return url.href.replace(/(?<!\/)\/+$/, '')
}

export function origins(text: string): readonly string[] | undefined {
  const named = text.split(',').map((origin) => origin.trim())
  return named.every((origin) => parseUrl(origin, 'http:', 'https:')?.origin === origin) ? named : undefined
}

export function databaseUrl(text: string): string | undefined {
  // The reasons do not contain the URL.
  tlsOf(text)
  const reason = wrongServer(text)
  if (reason !== undefined) throw new RangeError(reason)
  return canDecode(text) && parseUrl(text, 'postgres:', 'postgresql:') !== undefined ? text : undefined
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== ''
  } catch {
    return false
  }
}

/** Hides the password in a URL, and removes the query. Returns `undefined` if the password may be in another part. */
export function withoutPassword(text: string): string | undefined {
  const [address = ''] = text.split(/[?#]/)
  const parts = /^([a-z][a-z\d+.-]*:\/\/)([^:@/]*)(:.*)?@([\w.-]+(?::\d+)?(?:,[\w.-]+(?::\d+)?)*(?:\/[\w.-]*)?)$/i.exec(
    address,
  )
  if (parts === null) return undefined
  const [, scheme, user, password, hostAndPath] = parts
  return `${scheme}${user}${password === undefined ? '' : ':…'}@${hostAndPath}`
}

/** Parses `s3://bucket/prefix?endpoint=https://…&region=…`. Rejects other query parameters. */
export function storageUrl(text: string): StorageLocation | undefined {
  const url = parseUrl(text, 's3:')
  if (url === undefined || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(url.host)) return undefined
  const { endpoint, region, ...others } = Object.fromEntries(url.searchParams)
  if (Object.keys(others).length > 0 || url.hash !== '' || url.username !== '') return undefined
  if (endpoint !== undefined && parseUrl(endpoint, 'http:', 'https:') === undefined) return undefined
  if (region !== undefined && !/^[a-z\d-]+$/.test(region)) return undefined
  return {
    bucket: url.host,
    prefix: decodeURIComponent(url.pathname).replace(/^\/+|(?<!\/)\/+$/g, ''),
    endpoint,
    region,
  }
}

export const certificates = (text: string): string => readCertificates('it', text)

export function smtpUrl(text: string): string | undefined {
  return canDecode(text) && parseUrl(text, 'smtp:', 'smtps:') !== undefined ? text : undefined
}

function parseUrl(text: string, ...protocols: string[]): URL | undefined {
  const url = URL.parse(text)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== '' ? url : undefined
}
