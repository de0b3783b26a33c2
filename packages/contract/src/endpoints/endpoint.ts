import type { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import type { Lane } from '../domain/request.ts'

export type PriceUnit = 'request' | 'started minute' | 'page'

/** A minimum and a maximum; `null` if the maximum depends on the file. */
export type Bounds<Amount> = { minimum: Amount; maximum: Amount | null }

export const exactly = (units: number): Bounds<number> => ({ minimum: units, maximum: units })

/** The path of a processing endpoint without `/v1/`. */
export type EndpointPath = `${'images' | 'videos' | 'documents'}/${string}`

/** An additional file of a request. It is fetched before processing, once per URL. */
export type FurtherSource = {
  /** The path of its field, such as `operations.0.image_url`. */
  param: string
  url: string
  /** The index of the operation that uses it, for errors. */
  operation?: number
  /** The name of the output whose operation it is; missing: an operation of the request. */
  output?: string
}

export type Endpoint<
  Name extends EndpointPath = EndpointPath,
  Body extends z.ZodObject = z.ZodObject,
  Data extends z.ZodObject = z.ZodObject,
> = {
  /** The path without `/v1/`. It is also the `endpoint` field of requests, and the engine's task. */
  name: Name
  title: string
  /** One sentence for the OpenAPI document. */
  description: string
  media: MediaType
  /** The queue of its requests and the engines that serve it. Light video work has its own lane. */
  lane: Lane
  /** Whether the account must have bought credit (videos.access.1). */
  paidOnly: boolean
  /** The fields of the body besides the common fields; a `z.strictObject`. */
  body: Body
  /** The deadline of processing, if it is shorter than its medium's. */
  deadlineMs?: number
  price: MicroUsd
  priceUnit: PriceUnit
  /** Returns the price of a request in units. Missing: always one unit. */
  units?: (parameters: Record<string, unknown>) => Bounds<number>
  /** The bytes to fetch first, if an endpoint needs little of a file. Missing: the whole source is downloaded. */
  firstBytes?: number
  data: Data
  /** Returns the additional files of a valid body. Missing: none. */
  sources?(parameters: z.output<Body>): FurtherSource[]
  /** For the OpenAPI document: an example of the endpoint's own fields and of the resulting metadata. */
  example: { body: z.input<Body>; data: z.input<Data> }
}

export function defineEndpoint<const Name extends EndpointPath, Body extends z.ZodObject, Data extends z.ZodObject>(
  endpoint: Endpoint<Name, Body, Data>,
): Endpoint<Name, Body, Data> {
  return endpoint
}
