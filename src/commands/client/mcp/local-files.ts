import { openFile } from '../../../client/files/open-file.ts'
import type { Mediamill } from '../../../client/mediamill.ts'
import { isUrl } from '../inputs/input.ts'
import { saveNew } from '../outputs/save-new.ts'
import { writeResult } from '../outputs/write-result.ts'
import type { Folders } from './folders.ts'
import type { Json, Message, Tool } from './messages.ts'

const SAVE_TO = {
  type: 'string',
  description: 'Path on this machine to save the result at; a file that is there is not written over.',
}

/** Says in the list of tools that files of this machine may be named. An upload by hand is no tool then. */
export function withLocalFiles(tools: readonly Tool[]): Tool[] {
  return tools
    .filter(({ name }) => name !== 'create_upload')
    .map((tool) => {
      const { source, ...others } = tool.inputSchema.properties
      const local = { type: 'string', description: 'Path of a file on this machine, or http or https URL of one.' }
      const properties = {
        ...(source !== undefined && { source: local }),
        ...others,
        ...(makesFile(tool.name) && { save_to: SAVE_TO }),
      }
      return { ...tool, inputSchema: { ...tool.inputSchema, properties } }
    })
}

const makesFile = (name: string) => /^(?:process_|capture_still|get_request)/.test(name)

/** Uploads the files that a tool's arguments name. What stands for them takes their place. */
export async function uploadNamed(input: Json, service: Mediamill, folders: Folders): Promise<Json> {
  const place = async (value: unknown) => {
    if (typeof value !== 'string' || isUrl(value) || value.startsWith('upload:')) return value
    return (await service.uploads.create(await openFile(await folders.readable(value)))).source
  }
  const { source, operations } = input
  return {
    ...input,
    ...(source !== undefined && { source: await place(source) }),
    ...(Array.isArray(operations) && { operations: await Promise.all(operations.map(placeImage)) }),
  }

  async function placeImage(operation: unknown): Promise<unknown> {
    if (typeof operation !== 'object' || operation === null || !('image_url' in operation)) return operation
    return { ...operation, image_url: await place(operation.image_url) }
  }
}

/** Saves the result of a finished request, and adds to the answer where. An unfinished one has to be asked for again. */
export async function saveResult(message: Message, file: string, service: Mediamill): Promise<Message> {
  const { id, status } = message.result?.structuredContent ?? {}
  if (message.result === undefined || typeof id !== 'number' || status !== 'succeeded') return message
  const request = await service.requests.retrieve(id)
  const [result] = request.status === 'succeeded' ? request.result.files : []
  if (result === undefined) return message
  await saveNew(file, false, async (draft) => await writeResult(result, draft))
  const content = [...(message.result.content ?? []), { type: 'text', text: `It is saved at ${file}.` }]
  return { ...message, result: { ...message.result, content } }
}
