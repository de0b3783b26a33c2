import { documentsProcess } from './documents-process.ts'
import { documentsRead } from './documents-read.ts'
import { documentsSnapshot } from './documents-snapshot.ts'
import type { Endpoint } from './endpoint.ts'
import { imagesProcess } from './images-process.ts'
import { imagesRead } from './images-read.ts'
import { videosProcess } from './videos-process.ts'
import { videosRead } from './videos-read.ts'
import { videosScreenshot } from './videos-screenshot.ts'

/** Every processing endpoint of Spec 4.2, in its order. To add one: its file, its test, two lines here. */
export const ENDPOINTS: readonly Endpoint[] = [
  imagesProcess,
  imagesRead,
  videosProcess,
  videosRead,
  videosScreenshot,
  documentsProcess,
  documentsRead,
  documentsSnapshot,
]

/** The endpoint that a request's `endpoint` field names. */
export function endpointNamed(name: string): Endpoint {
  const found = ENDPOINTS.find((endpoint) => endpoint.name === name)
  if (found === undefined) throw new RangeError(`no such endpoint: ${name}`)
  return found
}
