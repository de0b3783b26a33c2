import type { Mediamill } from '../../../client/mediamill.ts'
import { OperatorError } from '../../../domain/errors.ts'
import type { Place } from '../remote/connect.ts'
import { reasonOf } from '../work/reason.ts'
import type { Folders } from './folders.ts'
import { saveResult, uploadNamed, withLocalFiles } from './local-files.ts'
import type { Message } from './messages.ts'
import { messageOf, refused } from './messages.ts'

/** Longer than a tool of the service waits. */
const TIMEOUT_MS = 60_000

/**
 * Passes messages of the protocol on to a service's `/mcp`. It adds what only this machine can do.
 *
 * A tool may name files of the machine: they are uploaded on the way there, and results are saved on the way back.
 */
export class Relay {
  readonly #place: Place
  readonly #service: Mediamill
  readonly #folders: Folders

  constructor(place: Place, service: Mediamill, folders: Folders) {
    this.#place = place
    this.#service = service
    this.#folders = folders
  }

  /** Answers a message; `undefined` for one that wants no answer. Never throws. */
  async answer(message: Message): Promise<Message | undefined> {
    try {
      if (message.method === 'tools/call') return await this.#callTool(message)
      const answer = await this.#send(message)
      const tools = answer?.result?.tools
      if (tools === undefined) return answer
      return { ...answer, result: { ...answer?.result, tools: withLocalFiles(tools) } } as Message
    } catch (error) {
      if (message.id === undefined) return undefined
      if (message.method === 'tools/call') return refused(message.id, reasonOf(error))
      return { jsonrpc: '2.0', id: message.id, error: { code: -32_603, message: reasonOf(error) } }
    }
  }

  async #callTool(message: Message): Promise<Message | undefined> {
    const { save_to: saveTo, ...input } = message.params?.arguments ?? {}
    // Judged before anything is paid for.
    const file = typeof saveTo === 'string' ? await this.#folders.writable(saveTo) : undefined
    const args = await uploadNamed(input, this.#service, this.#folders)
    const answer = await this.#send({ ...message, params: { ...message.params, arguments: args } })
    return answer === undefined || file === undefined ? answer : await saveResult(answer, file, this.#service)
  }

  async #send(message: Message): Promise<Message | undefined> {
    const version = message.params?._meta?.['io.modelcontextprotocol/protocolVersion']
    const answer = await fetch(`${this.#place.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#place.apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(typeof version === 'string' && { 'mcp-protocol-version': version }),
        ...(message.method !== undefined && { 'mcp-method': message.method }),
        ...(message.params?.name !== undefined && { 'mcp-name': message.params.name }),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.text()
    if (answer.status === 404)
      throw new OperatorError(`${this.#place.url} serves no agents: it is of an older version.`)
    const said = messageOf(answer.headers.get('content-type') ?? '', text)
    if (answer.ok || said?.jsonrpc === '2.0') return said
    throw new OperatorError(said?.error?.message ?? `${this.#place.url} answered with status ${answer.status}.`)
  }
}
