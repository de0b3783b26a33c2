import { WAIT_SECONDS } from '@mediamill/contract/domain/limits'
import type { FastifyRequest } from 'fastify'

/**
 * How many seconds a call wants to be held for (RFC 7240), within our bounds. It is `undefined` when it does not.
 *
 * A bare `wait` is 20 s, more than 55 s is 55 s, 0 is none. What is malformed or unknown is ignored, and of preferences
 * named twice the first counts (waiting.prefer.2).
 */
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

/** RFC 7240 takes an empty value for none, and a quoted one for the same without quotes. */
function secondsIn(value: string): number | undefined {
  const text = /^"(.*)"$/s.exec(value)?.[1] ?? value
  if (text === '') return WAIT_SECONDS.default
  const seconds = /^\d+$/.test(text) ? Math.min(Number(text), WAIT_SECONDS.maximum) : 0
  return seconds === 0 ? undefined : seconds
}

/** The parts between separators, of which those in quoted strings are none. */
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
