import { WAIT_SECONDS } from '@mediamill/contract/domain/limits'
import type { FastifyRequest } from 'fastify'

/** Parses `Prefer: wait` (RFC 7240, waiting.prefer.2). */
export function waitSecondsOf({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const sent = headers['prefer']
  if (sent === undefined) return undefined
  for (const preference of splitOutsideQuotes(String(sent), ',')) {
    const [named = ''] = splitOutsideQuotes(preference, ';')
    const equals = named.indexOf('=')
    const name = equals === -1 ? named : named.slice(0, equals)
    if (name.trim().toLowerCase() !== 'wait') continue
    return secondsIn(equals === -1 ? '' : named.slice(equals + 1).trim())
  }
  return undefined
}

/** Parses the value of `wait`. As in RFC 7240, an empty value means no value, and quotes have no effect. */
function secondsIn(value: string): number | undefined {
  const text = /^"(.*)"$/s.exec(value)?.[1] ?? value
  if (text === '') return WAIT_SECONDS.default
  const seconds = /^\d+$/.test(text) ? Math.min(Number(text), WAIT_SECONDS.maximum) : 0
  return seconds === 0 ? undefined : seconds
}

function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = []
  let quoted = false
  let start = 0
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index)
    if (quoted && character === '\\') index += 1
    else if (character === '"') quoted = !quoted
    else if (!quoted && character === separator) {
      parts.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...parts, text.slice(start)]
}
