import { extname } from 'node:path'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { OUTPUT_FORMATS } from '@mediamill/contract/domain/media'
import { openFile } from '@mediamill/sdk/src/files/open-file'
import { mapSources } from '@mediamill/sdk/src/files/resolve-sources'
import type { Mediamill } from '@mediamill/sdk/src/mediamill'
import { isUrl } from '../inputs/input.ts'
import { pathsWithNames } from '../outputs/file-names.ts'
import { FileExistsError, saveFile, writeResult } from '../outputs/save-file.ts'
import type { Folders } from './folders.ts'
import type { Json, Message, Tool } from './messages.ts'

const SAVE_TO = {
  type: 'string',
  description:
    'Path on this machine for the result. The file extension sets the format. With `outputs`, the name of each output is added to the file name. An existing file is never overwritten.',
}

/** Changes tool descriptions so that they mention local files. Removes the tool that creates upload URLs. */
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

export function inLocalWords(text: string): string {
  return text
    .replace(
      'For a file without a URL call create_upload, send the file there, and pass its source on.',
      'Name files of this machine by their path.',
    )
    .replaceAll(/,? ?(?:or )?(?:call|send it to) create_upload(?: first)?/g, '')
}

const makesFile = (name: string) => /^(?:process_|capture_still|get_request)/.test(name)

const FORMATS: readonly string[] = Object.values(OUTPUT_FORMATS).flat()

/** Sets the output format to the extension of `save_to`. Throws `OperatorError` for another or unsupported format. */
export function withFormatOf(tool: string, input: Json, saveTo: string): Json {
  const format = formatOf(saveTo)
  // Each output and each template sets its own format.
  if (format === undefined || input['outputs'] !== undefined || input['template'] !== undefined) return input
  if (!FORMATS.includes(format))
    throw new OperatorError(`save_to ${saveTo} must end in ${FORMATS.map((one) => `.${one}`).join(', ')}.`)
  // `get_request` has no format: the result exists already, and saving it checks the extension.
  if (tool === 'get_request') return input
  const output = (input['output'] ?? {}) as Json
  const named = output['format']
  if (named !== undefined && named !== format)
    throw new OperatorError(
      `save_to ${saveTo} and output.format ${JSON.stringify(named)} are different formats: name only one.`,
    )
  return { ...input, output: { ...output, format } }
}

function formatOf(path: string): string | undefined {
  const ending = extname(path).slice(1).toLowerCase()
  if (ending === '') return undefined
  return ending === 'jpeg' ? 'jpg' : ending
}

export async function uploadNamed(input: Json, service: Mediamill, folders: Folders): Promise<Json> {
  const sourceOf = async (value: unknown) => {
    if (typeof value !== 'string' || isUrl(value) || value.startsWith('upload:')) return value
    return (await service.uploads.create(await openFile(await folders.readable(value)))).source
  }
  return (await mapSources(input, sourceOf)) as Json
}

export async function saveResult(message: Message, path: string, service: Mediamill): Promise<Message> {
  const { id, status } = message.result?.structuredContent ?? {}
  if (message.result === undefined || typeof id !== 'number' || status !== 'succeeded') return message
  const request = await service.requests.retrieve(id)
  const files = request.status === 'succeeded' ? request.result.files : []
  const format = formatOf(path)
  const [only] = files
  if (files.length === 1 && only !== undefined && format !== undefined && format !== only.format)
    throw new OperatorError(`The result is a ${only.format}, not a ${format}: save it under another name.`)
  const paths = files.length > 1 ? pathsWithNames(path, files) : [path]
  const saved: { type: string; text: string }[] = []
  for (const [index, result] of files.entries()) {
    const file = paths[index] ?? path
    await saveFile(file, false, async (draft) => await writeResult(result, draft)).catch((cause: unknown) => {
      if (!(cause instanceof FileExistsError)) throw cause
      throw new OperatorError(`${file} already exists. Save the result under another name.`, { cause })
    })
    saved.push({ type: 'text', text: `Saved at ${file}.` })
  }
  const content = [...(message.result.content ?? []), ...saved]
  return { ...message, result: { ...message.result, content } }
}
