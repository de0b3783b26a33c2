import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { Busboy } from '@fastify/busboy'
import { ApiError } from '@mediamill/contract/domain/errors'
import { MAX_BODY_BYTES } from '@mediamill/contract/domain/limits'
import { UPLOAD_QUOTA_FILES, uploadSource } from '@mediamill/contract/domain/uploads'
import type { Fields } from '@mediamill/contract/endpoints/body-fields'
import type { FastifyRequest } from 'fastify'
import { uploadTooLarge } from '../uploads/errors.ts'
import type { FormFile } from '../uploads/upload-receiver.ts'
import { bodyOfForm, REQUEST_PART } from './form-body.ts'
import { removeTimeout } from './routes/uploads/body-timeout.ts'
import { readUpload } from './routes/uploads/upload-body.ts'
import type { Receiving } from './routes/uploads.ts'
import { allowanceOf } from './routes/uploads.ts'

/** The maximum number of files in a form: a source, and an image for each of 20 operations. */
const MAX_FILES = 21
const MAX_TEXTS = 40
const MAX_NAME_LENGTH = 100
const MAX_PART_HEADER_BYTES = 8 * 1024

/** A received form: its JSON body and its files. The caller must pass the files to `accept`, or delete them. */
export type ReceivedForm = { body: unknown; files: readonly FormFile[] }

export async function receiveForm(call: FastifyRequest, fields: Fields, receiving: Receiving): Promise<ReceivedForm> {
  removeTimeout(call.raw)
  if (call.headers['content-encoding'] !== undefined) {
    throw new ApiError('validation_failed', 'Send the form uncompressed, without a Content-Encoding header.')
  }
  const { caller, headers } = call
  const { receiver } = receiving
  using _slot = receiver.openForm(caller.account)
  const owner = { accountId: caller.account.id, livemode: caller.livemode }
  const { maxSourceBytes } = caller.limits
  const size = Math.min(maxSourceBytes, Number(headers['content-length'] ?? maxSourceBytes))
  const storing = new Map<string, Promise<FormFile>>()
  const files: FormFile[] = []
  const store = async (stream: BusboyFileStream) => {
    const stored = await receiver.receiveFile(owner, { size, earlier: files }, allowanceOf(caller), (signal) => {
      signal.addEventListener('abort', () => stream.destroy(signal.reason as Error))
      return stream as AsyncIterable<Buffer>
    })
    files.push(stored)
    return stored
  }
  try {
    const texts = await parseForm(call, fields, receiving, (name, stream) => {
      const stored = store(stream)
      storing.set(name, stored)
      return stored
    })
    const sources = new Map<string, string>()
    for (const [name, stored] of storing) sources.set(name, uploadSource((await stored).id))
    return { body: bodyOfForm(fields, { texts, files: sources }), files }
  } catch (error) {
    await Promise.allSettled(storing.values())
    await receiver.dropFiles(files)
    throw error
  } finally {
    receiver.releaseFiles(files)
  }
}

async function parseForm(
  call: FastifyRequest,
  fields: Fields,
  { pace, onBytes }: Receiving,
  onFile: (name: string, file: BusboyFileStream) => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const isText = (name: string | undefined) =>
    name === REQUEST_PART || (name !== 'source' && name !== undefined && Object.hasOwn(fields, name))
  const parser = openParser(call, isText)
  const texts = new Map<string, string>()
  const names = new Set<string>()
  const open = new Set<BusboyFileStream>()
  const { promise: failed, reject } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  const fail = (error: Error) => {
    reject(error)
    for (const file of open) file.destroy(error)
  }
  let textBytes = 0
  const admit = (name: string | undefined): name is string => {
    const error = checkName(name, names)
    if (error === undefined) return true
    fail(error)
    return false
  }
  parser.on('file', (name: string | undefined, file) => {
    file.on('error', (error) => fail(malformed(error)))
    file.on('limit', () => fail(uploadTooLarge(call.caller.limits.maxSourceBytes)))
    if (!admit(name)) return void file.resume()
    names.add(name)
    open.add(file)
    onFile(name, file).then(() => open.delete(file), fail)
  })
  parser.on('field', (name: string | undefined, value, _nameTruncated, isCut) => {
    if (!admit(name)) return
    names.add(name)
    textBytes += Buffer.byteLength(value)
    if (isCut || textBytes > MAX_BODY_BYTES) return fail(tooMuchText())
    texts.set(name, value)
  })
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(event, () => fail(tooManyParts()))
  const finished = new Promise<void>((resolve) => parser.on('finish', resolve))
  parser.on('error', (error) => fail(malformed(error as Error)))
  const { maxSourceBytes } = call.caller.limits
  const maxBytes = UPLOAD_QUOTA_FILES * maxSourceBytes + MAX_BODY_BYTES
  try {
    for await (const chunk of readUpload(call.raw, { maxBytes, pace, onBytes })) {
      const written = new Promise<void>((resolve) => void parser.write(chunk, () => resolve()))
      await Promise.race([written, failed])
    }
    parser.end()
    await Promise.race([finished, failed])
    return texts
  } catch (error) {
    for (const file of open) file.destroy(error as Error)
    throw error
  }
}

function openParser(
  { headers, caller }: FastifyRequest,
  isText: (name: string | undefined) => boolean,
): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': headers['content-type'] ?? '' },
      isPartAFile: (name, type, fileName) =>
        !isText(name) && (fileName !== undefined || type === 'application/octet-stream'),
      limits: {
        files: MAX_FILES,
        fields: MAX_TEXTS,
        parts: MAX_FILES + MAX_TEXTS,
        fieldSize: MAX_BODY_BYTES,
        fileSize: caller.limits.maxSourceBytes,
        headerPairs: 32,
        headerSize: MAX_PART_HEADER_BYTES,
      },
    })
  } catch (cause) {
    throw new ApiError(
      'validation_failed',
      'The Content-Type multipart/form-data must have a boundary. Let the HTTP client set the header: with curl, use -F and no -H Content-Type.',
      { cause },
    )
  }
}

function checkName(name: string | undefined, names: ReadonlySet<string>): ApiError | undefined {
  if (name === undefined || name === '')
    return new ApiError('validation_failed', 'Every part of the form needs a name.')
  if (name.length > MAX_NAME_LENGTH) {
    return new ApiError(
      'validation_failed',
      `The name of a part must have at most ${MAX_NAME_LENGTH} characters (got ${name.length}).`,
    )
  }
  return names.has(name)
    ? new ApiError('validation_failed', `The form has two parts named ${JSON.stringify(name)}. Send one.`)
    : undefined
}

const malformed = (cause: Error) =>
  cause instanceof ApiError
    ? cause
    : new ApiError(
        'validation_failed',
        'The form is not valid multipart/form-data: it ends before its closing boundary, or a part is malformed. Send it again.',
        { cause },
      )

const tooManyParts = () =>
  new ApiError(
    'validation_failed',
    `The form has too many parts: at most ${MAX_FILES} files and ${MAX_TEXTS} other fields are accepted.`,
  )

const tooMuchText = () =>
  new ApiError('validation_failed', 'The parts of the form that are not files must have at most 1 MiB in total.')
