/**
 * Processes every file of a folder, prints the outcomes, and writes a page with each image before and after:
 * `npm run corpus -- FOLDER [--out report.html]`. If ffmpeg is installed, the page shows frames of videos, and compares
 * their metadata with ffprobe's.
 */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { basename, extname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { MediaType } from '@mediamill/contract/domain/media'
import { mediaTypeOf } from '@mediamill/contract/domain/media'
import { sniff } from '@mediamill/media/formats/sniff'
import { HEAD_BYTES } from '@mediamill/server/outbound/fetch/download'
import sharp from 'sharp'
import { findSecondOpinion } from './corpus/ffmpeg.ts'
import { processFile } from './corpus/process-file.ts'
import type { Entry } from './corpus/report.ts'
import { renderReport, renderTable } from './corpus/report.ts'
import { SHOWN } from './corpus/trials.ts'
import { processedMedia } from './support/processed-media.ts'
import { startService } from './support/service.ts'
import { startSourceServer } from './support/source-server.ts'

const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true })
const [folder] = positionals
if (folder === undefined) {
  process.stderr.write('usage: npm run corpus -- FOLDER [--out report.html]\n')
  process.exit(2)
}
const out = resolve(values.out ?? 'corpus-report.html')
const results = out.replace(/\.html$/, '.files')
await mkdir(results, { recursive: true })

const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="48"><rect width="120" height="48" rx="10"
  fill="#1550c8" fill-opacity="0.7"/><text x="60" y="32" font-family="sans-serif" font-size="24" font-weight="700"
  fill="#fff" text-anchor="middle">mill</text></svg>`
const logo = await sharp(Buffer.from(LOGO)).png().toBuffer()

await using server = await startSourceServer({ '/watermark.png': logo })
await using service = await startService({ allowed: [server.host] })
const second = await findSecondOpinion()
const processed = await processedMedia(service, server.url('/nothing'))
const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort()
const entries: (Entry | undefined)[] = []
const skipped: string[] = []

/** Processes one file after another until no file is left. Several of these loops run at the same time. */
async function work(): Promise<void> {
  for (let index = next++; index < paths.length; index = next++) entries[index] = await enter(paths[index] ?? '', index)
}

async function enter(path: string, index: number): Promise<Entry | undefined> {
  const name = relative(folder ?? '', path)
  const bytes = await readFile(path)
  const media = mediaOf(bytes, path)
  if (!processed.includes(media)) {
    skipped.push(`${name} (${media})`)
    return undefined
  }
  const stem = `${String(index).padStart(3, '0')}-${basename(path, extname(path)).replaceAll(/[^\w-]/g, '_')}`
  const source = `/${stem}`
  server.files.set(source, bytes)
  const subject = { name, media, path, url: server.url(source), results, stem, second }
  const outcomes = await processFile(service, subject, server.url('/watermark.png'))
  server.files.delete(source)
  const shown = outcomes.find(({ trial, file }) => trial === SHOWN.name && file !== undefined)?.file
  const original = (await stripOf(path, media, stem)) ?? (await shownAsItIs(path, stem)) ?? shown
  return { name, media, bytes: bytes.length, original, outcomes }
}

/** Draws frames of a video with ffmpeg, so that an error in the project's code cannot hide. */
async function stripOf(path: string, media: MediaType, stem: string): Promise<string | undefined> {
  if (media !== 'video') return undefined
  const strip = `${stem}.strip.jpg`
  return await second?.strip(path, join(results, strip)).then(
    () => strip,
    () => undefined,
  )
}

/** Copies a file unchanged into the report's folder if browsers can display it. Otherwise returns `undefined`. */
async function shownAsItIs(path: string, stem: string): Promise<string | undefined> {
  const extension = extname(path).toLowerCase()
  if (!/^\.(?:jpe?g|png|gif|webp|avif|bmp|mp4)$/.test(extension)) return undefined
  await copyFile(path, join(results, `${stem}${extension}`))
  return `${stem}${extension}`
}

/** Detects the media type of a file by its content, or by its extension if the content is unknown. */
function mediaOf(bytes: Buffer, path: string): MediaType {
  const format = sniff(bytes.subarray(0, HEAD_BYTES))
  if (format !== undefined) return mediaTypeOf(format)
  if (/\.(?:mp4|m4v|mov|webm|mkv|avi|flv|mpe?g|ts|m3u8)$/i.test(path)) return 'video'
  return /\.pdf$/i.test(path) ? 'document' : 'image'
}

let next = 0
await Promise.all(Array.from({ length: availableParallelism() }, work))
const done = entries.filter((entry) => entry !== undefined)
await writeFile(out, renderReport(done, basename(results)))
process.stdout.write(`${renderTable(done)}\n\n${out}\n`)
if (skipped.length > 0) process.stdout.write(`Without an engine yet: ${skipped.join(', ')}\n`)
