import { buffer } from 'node:stream/consumers'
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import type { RequestId } from '../../../domain/ids.ts'
import { findLinked } from '../../../requests/find.ts'
import { INTERFACE_VERSION } from '../../description/document.ts'
import type { Door } from '../../door.ts'
import type { JsonObject } from './input-schema.ts'
import { refusedAnswer, shownPicture, toolAnswer } from './tool-answer.ts'
import type { McpTool } from './tools.ts'
import { TOOLS } from './tools.ts'

/** Hosts give a tool half a minute or a minute; what takes longer is asked for again. */
const WAIT_SECONDS = 25

const INSTRUCTIONS =
  'Mediamill edits images, videos and PDFs. Each tool that starts work answers the request; while it is queued or processing, call get_request with its id. Links to results need no key and work for days. For a file without a URL call create_upload, send the file there, and pass its source on.'

/** Judges nothing: the interface says better than a schema what is wrong with a call. */
const UNJUDGED = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) as never }

/** Builds the server for one message of the protocol. It makes calls of the interface with `authorization`. */
export function mcpServer(app: FastifyInstance, door: Door, authorization: string | null | undefined): McpServer {
  const server = new McpServer(
    { name: 'mediamill', title: 'Mediamill', version: INTERFACE_VERSION },
    { instructions: INSTRUCTIONS },
  )
  for (const { name, title, description, inputSchema, annotations, callOf } of TOOLS) {
    const schema = fromJsonSchema<JsonObject>(inputSchema, UNJUDGED)
    server.registerTool(name, { title, description, inputSchema: schema, annotations }, (input) =>
      callTool(app, door, authorization ?? '', callOf, input),
    )
  }
  return server
}

async function callTool(
  app: FastifyInstance,
  door: Door,
  authorization: string,
  callOf: McpTool['callOf'],
  { show, idempotency_key: key, ...input }: JsonObject,
): Promise<CallToolResult> {
  const { method, path, body, waits } = callOf(input)
  const answered = await app.inject({
    method,
    url: path,
    headers: {
      authorization,
      ...(waits && { prefer: `wait=${WAIT_SECONDS}` }),
      ...(typeof key === 'string' && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { payload: body }),
  })
  const said = answered.json<JsonObject>()
  if (answered.statusCode >= 400) return refusedAnswer(said)
  const picture = show === true ? await readPicture(door, said) : undefined
  const answer = toolAnswer(said)
  return picture === undefined ? answer : { ...answer, content: [...answer.content, picture] }
}

/** The picture of a finished request, where hosts can show it. */
async function readPicture(door: Door, said: JsonObject): Promise<ContentBlock | undefined> {
  const shown = shownPicture(said)
  if (shown === undefined) return undefined
  const found = await findLinked(door.sql, shown.id as RequestId)
  const [file] = found?.request.status === 'succeeded' ? found.request.files : []
  const opened = file && (await door.store.open(file.key))
  if (opened === undefined) return undefined
  const bytes = await buffer(opened.body)
  // A store that gives less than there is would show half a picture.
  if (bytes.length !== file?.size) return undefined
  return { type: 'image', data: bytes.toString('base64'), mimeType: shown.mimeType }
}
