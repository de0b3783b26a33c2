import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { commandLine } from '@mediamill/lab/support/command-line'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import sharp from 'sharp'
import { z } from 'zod'
import { sampleFile } from '../../src/outbound/fetch/samples.ts'

export const service = await sharedService()
export const folder = await sharedFolder('mediamill-cli-test-')

export const at = (name: string) => join(folder, name)
export const draw = async (name: string, background: string, width = 120, height = 80) =>
  await sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toFile(at(name))
await draw('photo.png', '#ff0000')
await draw('logo.png', '#00ff00', 10, 10)
await mkdir(at('in/deep'), { recursive: true })
await mkdir(at('same'))
await copyFile(sampleFile('clip.mp4'), at('clip.mp4'))
await draw('in/a.png', '#0000ff')
await draw('in/deep/b.png', '#ffff00')

export const env = { MEDIAMILL_URL: service.url, MEDIAMILL_API_KEY: service.account.liveKey }
export const mediamill = async (args: string[], more: Partial<Parameters<typeof commandLine>[1]> = {}) =>
  await commandLine(args, { folder, env, ...more })

export const countRequests = async () => {
  const [row] = await service.sql<{ count: number }[]>`select count(*)::int as count from requests`
  return row?.count ?? 0
}

const LINE = z.discriminatedUnion('ok', [
  z.strictObject({
    input: z.string(),
    ok: z.literal(true),
    file: z.string().nullable(),
    files: z.array(z.string()).optional(),
    reused: z.boolean(),
    data: z.record(z.string(), z.unknown()).nullable(),
    request: z.looseObject({ id: z.int(), status: z.literal('succeeded') }).nullable(),
  }),
  z.strictObject({
    input: z.string(),
    ok: z.literal(false),
    error: z.strictObject({ code: z.string(), message: z.string(), operation: z.int().optional() }),
  }),
])
export const linesOf = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => LINE.parse(JSON.parse(line)))

export const ESCAPE = '\u001b'
