import { ApiError } from '@mediamill/contract/domain/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describeSyntaxError } from './describe-syntax-error.ts'
import { readBody } from './read-body.ts'

/** The maximum depth of nested objects and arrays (api.body.2). */
const MAX_DEPTH = 50

/** The maximum number of fields and list items (api.body.2). */
const MAX_VALUES = 10_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (call: FastifyRequest, payload: NodeJS.ReadableStream) =>
    parseJson(await readText(call, payload)),
  )
}

/** Reads bodies as text. An error becomes `call.body`, which the route throws after it has counted the call. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (call: FastifyRequest, payload: NodeJS.ReadableStream) =>
    readText(call, payload).catch((error: unknown) => error),
  )
}

async function readText(call: FastifyRequest, payload: NodeJS.ReadableStream): Promise<string> {
  const body = await readBody(call, payload)
  if (call.headers['content-encoding'] !== undefined) {
    throw new ApiError('validation_failed', 'Send the body uncompressed, without a Content-Encoding header.')
  }
  if (!isUtf8(call.headers['content-type'])) {
    throw new ApiError(
      'validation_failed',
      'The Content-Type names a charset other than UTF-8. Send the body in UTF-8.',
    )
  }
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw new ApiError('validation_failed', 'The body is not valid UTF-8.', { cause })
  }
}

/** Returns whether the charset of a body is UTF-8 or ASCII (RFC 8259). */
function isUtf8(contentType = ''): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]
  return charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)
}

export function parseJson(text: string): unknown {
  const { depth, values } = measureJson(text)
  if (depth > MAX_DEPTH) {
    throw new ApiError('validation_failed', `The body nests objects and arrays deeper than ${MAX_DEPTH}.`)
  }
  if (values > MAX_VALUES) {
    throw new ApiError('validation_failed', `The body has more than ${MAX_VALUES} fields and list items.`)
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ApiError('validation_failed', `The body is not valid JSON: ${describeSyntaxError(text)}.`, { cause })
  }
}

const [QUOTE, BACKSLASH, OPENING, CLOSING, COMMA] = [0x22, 0x5c, 0x7b, 0x7d, 0x2c]

/** Measures a JSON text. The number of values is an estimate: commas plus opening brackets. */
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
    // Setting bit 32 turns `[` into `{` and `]` into `}`.
    else if ((character | 32) === OPENING) {
      deepest = Math.max(deepest, ++depth)
      values += 1
    } else if ((character | 32) === CLOSING) depth -= 1
    else if (character === COMMA) values += 1
  }
  return { depth: deepest, values }
}
