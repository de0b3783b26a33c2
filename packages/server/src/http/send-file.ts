import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unlessMissing } from '../lib/unless-missing.ts'
import { notFound } from './errors.ts'
import { acceptedItems, addVary, isKnown } from './negotiate.ts'

const ENCODINGS = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

/** Sends a static file. Prefers the compressed version (`.br`, `.gz`). Throws `not_found` if the file is missing. */
export async function sendFile(
  file: URL,
  call: FastifyRequest,
  reply: FastifyReply,
  { type, cacheControl }: { type: string; cacheControl: string },
): Promise<FastifyReply> {
  const found = await openBest(file, acceptedItems(String(call.headers['accept-encoding'] ?? '')))
  if (found === undefined) throw notFound()
  const { handle, path, encoding } = found
  try {
    const { size, mtimeMs } = await handle.stat()
    const etag = await etagOf(handle, `${path} ${size} ${mtimeMs}`)
    reply.headers({ 'cache-control': cacheControl, etag })
    addVary(reply, 'Accept-Encoding')
    if (isKnown(etag, call.headers['if-none-match'])) {
      await handle.close()
      return await reply.code(304).send()
    }
    reply.type(type).header('content-length', size)
    if (encoding !== undefined) reply.header('content-encoding', encoding)
  } catch (error) {
    await handle.close()
    throw error
  }
  return await reply.send(handle.createReadStream({ start: 0 }))
}

type Found = { handle: FileHandle; path: string; encoding: string | undefined }

async function openBest(file: URL, accepted: ReadonlySet<string>): Promise<Found | undefined> {
  for (const { name, ending } of ENCODINGS) {
    if (!accepted.has(name)) continue
    const path = `${file.href}${ending}`
    const handle = await unlessMissing(open(new URL(path)))
    if (handle !== undefined) return { handle, path, encoding: name }
  }
  const handle = await unlessMissing(open(file))
  return handle === undefined ? undefined : { handle, path: file.href, encoding: undefined }
}

/** ETags by version: hashes of the content, because all files of an npm package have the same modification time. */
const etags = new Map<string, string>()

async function etagOf(handle: FileHandle, version: string): Promise<string> {
  const known = etags.get(version)
  if (known !== undefined) return known
  const hash = createHash('sha256')
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) hash.update(chunk)
  const etag = `"${hash.digest('base64url').slice(0, 22)}"`
  etags.set(version, etag)
  return etag
}
