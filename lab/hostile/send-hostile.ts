import type { MediaType } from '@mediamill/contract/domain/media'
import type { Json, Service } from '../support/service.ts'
import type { SourceServer } from '../support/source-server.ts'
import type { HostileFile } from './hostile-file.ts'

export type Ended = {
  ending: string
  message: string
  operation: number | undefined
  result: Buffer | undefined
  data: Json
}

/** Sends a hostile file to the read endpoint, and at the same time to an endpoint that decodes it. */
export async function sendHostile(
  service: Service,
  server: SourceServer,
  file: HostileFile,
): Promise<{ read: Ended; made: Ended }> {
  const path = `/${file.name}`
  server.files.set(path, file.bytes)
  const body = { source: server.url(path) }
  try {
    const [read, made] = await Promise.all([
      ended(service, `/v1/${file.media}s/read`, body),
      ended(service, PROCESS[file.media], { ...body, ...workOf(file) }),
    ])
    return { read, made }
  } finally {
    server.files.delete(path)
  }
}

const PROCESS: Record<MediaType, string> = {
  image: '/v1/images/process',
  video: '/v1/videos/screenshot',
  document: '/v1/documents/snapshot',
}

function workOf({ media, output = 'jpg' }: HostileFile): Json {
  switch (media) {
    case 'image':
      return { operations: [{ type: 'resize', width: 64, height: 64 }], output: { format: output } }
    case 'video':
      return { seconds: 0 }
    case 'document':
      return {}
  }
}

async function ended(service: Service, path: string, body: unknown): Promise<Ended> {
  const { status, error, result } = await service.finish(path, body)
  const file = result?.files?.[0]
  return {
    ending: error?.code ?? status,
    message: error?.message ?? '',
    operation: error?.operation,
    result: file === undefined ? undefined : Buffer.from(await (await fetch(file.url)).arrayBuffer()),
    data: result?.data,
  }
}
