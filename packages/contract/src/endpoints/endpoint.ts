import type { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import type { Lane } from '../domain/request.ts'

export type PriceUnit = 'request' | 'started minute' | 'page'

/** A minimum and a maximum. `maximum` is `null` if it depends on the file. */
export type Bounds<Amount> = { minimum: Amount; maximum: Amount | null }

export const exactly = (units: number): Bounds<number> => ({ minimum: units, maximum: units })

/** The path of a processing endpoint without `/v1/`. */
export type EndpointPath = `${'images' | 'videos' | 'documents'}/${string}`

/** An additional file of a request, such as a watermark image. Each URL is fetched once, before processing. */
export type FurtherSource = {
  /** The path of the field that contains the URL, such as `operations.0.image_url`. */
  param: string
  url: string
  /** The index of the operation that uses the file, for errors. */
  operation?: number
  /** The name of the output that the operation belongs to. Missing if it is an operation of the request itself. */
  output?: string
}

export type Endpoint<
  Name extends EndpointPath = EndpointPath,
  Body extends z.ZodObject = z.ZodObject,
  Data extends z.ZodObject = z.ZodObject,
> = {
  /** The path without `/v1/`. It is also the `endpoint` field of requests, and the name of the engine's task. */
  name: Name
  title: string
  description: string
  media: MediaType
  /** The lane of its requests, which selects their queue and engines. Video work that only reads has its own lane. */
  lane: Lane
  /** Whether the account must have bought credit (videos.access.1). */
  paidOnly: boolean
  /** The fields of the body besides the common fields. Must be a `z.strictObject`. */
  body: Body
  /** The processing deadline, if it is shorter than the deadline of the medium. */
  deadlineMs?: number
  price: MicroUsd
  priceUnit: PriceUnit
  /** Returns the price of a request in units. If missing, every request costs one unit. */
  units?: (parameters: Record<string, unknown>) => Bounds<number>
  /** The bytes to fetch first, if only part of a file is needed. Missing: the whole source is downloaded. */
  firstBytes?: number
  data: Data
  /** Returns the additional files of a valid body. If missing, the endpoint has no additional files. */
  sources?(parameters: z.output<Body>): FurtherSource[]
  /** An example for the OpenAPI document: the endpoint's own fields, and the metadata of the result. */
  example: { body: z.input<Body>; data: z.input<Data> }
}

export function defineEndpoint<const Name extends EndpointPath, Body extends z.ZodObject, Data extends z.ZodObject>(
  endpoint: Endpoint<Name, Body, Data>,
): Endpoint<Name, Body, Data> {
  return endpoint
}
