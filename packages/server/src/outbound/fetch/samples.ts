import type { Sample } from '@mediamill/contract/objects/samples'
import { SAMPLE_NAMES, sampleUrl } from '@mediamill/contract/objects/samples'

export type Samples = ReadonlyMap<string, URL>

export const sampleFile = (name: Sample) => new URL(`./samples/${name}`, import.meta.url)

/** Maps the URLs of the sample files to local files. A worker copies a sample from disk instead of downloading it. */
export const samplesOf = (baseUrl: string): Samples =>
  new Map(SAMPLE_NAMES.map((name) => [sampleUrl(baseUrl, name), sampleFile(name)]))
