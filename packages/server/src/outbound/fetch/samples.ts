import { copyFile, open } from 'node:fs/promises'
import type { Sample } from '@mediamill/contract/objects/samples'
import { SAMPLE_NAMES, sampleUrl } from '@mediamill/contract/objects/samples'

export type Samples = ReadonlyMap<string, URL>

export const sampleFile = (name: Sample) => new URL(`./samples/${name}`, import.meta.url)

/** Returns the sample files by URL. A worker copies a sample from disk instead of downloading it. */
export const samplesOf = (baseUrl: string): Samples =>
  new Map(SAMPLE_NAMES.map((name) => [sampleUrl(baseUrl, name), sampleFile(name)]))

export async function copySample(file: URL, path: string, headBytes: number): Promise<{ bytes: number; head: Buffer }> {
  await copyFile(file, path)
  await using copy = await open(path)
  const { size } = await copy.stat()
  const { buffer, bytesRead } = await copy.read({ buffer: Buffer.alloc(headBytes), position: 0 })
  return { bytes: size, head: buffer.subarray(0, bytesRead) }
}
