import type { z } from 'zod'
import { documentsProcess } from './documents-process.ts'
import { documentsRead } from './documents-read.ts'
import { documentsSnapshot } from './documents-snapshot.ts'
import type { Endpoint } from './endpoint.ts'
import { imagesProcess } from './images-process.ts'
import { imagesRead } from './images-read.ts'
import { videosProcess } from './videos-process.ts'
import { videosRead } from './videos-read.ts'
import { videosScreenshot } from './videos-screenshot.ts'

const DECLARED = [
  imagesProcess,
  imagesRead,
  videosProcess,
  videosRead,
  videosScreenshot,
  documentsProcess,
  documentsRead,
  documentsSnapshot,
] as const

type Declared = (typeof DECLARED)[number]

export type EndpointName = Declared['name']
type EndpointOf<Name extends EndpointName> = Extract<Declared, { name: Name }>
export type ParametersOf<Name extends EndpointName> = z.output<EndpointOf<Name>['body']>
export type DataOf<Name extends EndpointName> = z.output<EndpointOf<Name>['data']>

const NAMED: readonly Endpoint<EndpointName>[] = DECLARED

export const ENDPOINTS: readonly Endpoint[] = NAMED

export function endpointNamed<Name extends EndpointName>(name: Name): Endpoint<Name> {
  const isNamed = (endpoint: Endpoint<EndpointName>): endpoint is Endpoint<Name> => endpoint.name === name
  const found = NAMED.find(isNamed)
  if (found === undefined) throw new RangeError(`no such endpoint: ${name}`)
  return found
}

/** Finds an endpoint. Returns `undefined` for an endpoint of a newer version, which a stored request may have. */
export function findEndpoint(name: string): Endpoint<EndpointName> | undefined {
  return NAMED.find((endpoint) => endpoint.name === name)
}
