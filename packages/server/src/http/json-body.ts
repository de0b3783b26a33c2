import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonFault } from './json-fault.ts'
import { readBody } from './read-body.ts'

/** Objects and arrays within each other, at the most (api.body.2). */
const MAX_DEPTH = 50

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Takes JSON bodies, and says of every other body what is wrong with it. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (call: FastifyRequest, payload: NodeJS.ReadableStream) =>
    parseJson(await readText(call, payload)),
  )
}

/** Reads JSON bodies as text and does not parse them: a route that counts its calls by their content calls `parseJson`. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', readText)
}

async function readText(call: FastifyRequest, payload: NodeJS.ReadableStream): Promise<string> {
  const body = await readBody(call, payload)
  if (call.headers['content-encoding'] !== undefined) {
    throw new ApiError('validation_failed', 'Send the body uncompressed, without a Content-Encoding header.')
  }
  if (!isUtf8(call.headers['content-type'])) {
    throw new ApiError(
      'validation_failed',
      'The Content-Type names another charset than UTF-8. Send the body in UTF-8.',
    )
  }
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw new ApiError('validation_failed', 'The body is not valid UTF-8.', { cause })
  }
}

/** Whether a Content-Type names no charset, or the one that JSON is written in; ASCII is a part of it (RFC 8259). */
function isUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)
}

/** Throws `ApiError` for a text that is not JSON, or that nests deeper than `MAX_DEPTH`. */
export function parseJson(text: string): unknown {
  if (measureJson(text).depth > MAX_DEPTH) {
    throw new ApiError('validation_failed', `The body nests objects and arrays deeper than ${MAX_DEPTH}.`)
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('validation_failed', `The body is not valid JSON: ${jsonFault(text)}.`, { cause })
  }
}

const [QUOTE, BACKSLASH, OPENING, CLOSING, COMMA] = [0x22, 0x5c, 0x7b, 0x7d, 0x2c]

/**
 * How deep brackets nest, and about how many fields and list items there are: one for each comma and each bracket. It
 * reads the text, so that a hostile body never becomes an object.
 */
export function measureJson(text: string): { depth: number; values: number } {
  let depth = 0
  let deepest = 0
  let values = 0
  let quoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index)
    if (quoted) {
      if (character === BACKSLASH) index += 1
      else if (character === QUOTE) quoted = false
    } else if (character === QUOTE) quoted = true
    // `[` and `{`, `]` and `}` are 32 apart, one bit.
    else if ((character | 32) === OPENING) {
      deepest = Math.max(deepest, ++depth)
      values += 1
    } else if ((character | 32) === CLOSING) depth -= 1
    else if (character === COMMA) values += 1
  }
  return { depth: deepest, values }
}
