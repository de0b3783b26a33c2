import type { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import { times } from '../domain/money.ts'
import type { Lane } from '../domain/request.ts'
import type { OperationInput } from '../operations/schema.ts'
import { assetsOf } from '../operations/schema.ts'

type PriceUnit = 'request' | 'started minute' | 'page'

/** A minimum and a maximum. `maximum` is `null` if the maximum depends on the file. */
type Bounds<Amount> = { minimum: Amount; maximum: Amount | null }

export const exactly = (units: number): Bounds<number> => ({ minimum: units, maximum: units })

type EndpointPath = `${'images' | 'videos' | 'documents'}/${string}`

/** An additional file of a request, such as a watermark image. Each URL is fetched once, before processing. */
export type FurtherSource = {
  /** The path of the field that contains the URL, such as `operations.0.image_url`. */
  param: string
  url: string
  operation?: number
  /** The name of the output whose operation uses the file. Missing for the operations of the request itself. */
  output?: string
}

export type Endpoint<
  Name extends EndpointPath = EndpointPath,
  Body extends z.ZodObject = z.ZodObject,
  Data extends z.ZodObject = z.ZodObject,
> = {
  /** The path without `/v1/`. It is also the value of `endpoint` in requests, and the name of the engine's task. */
  name: Name
  title: string
  description: string
  media: MediaType
  lane: Lane
  paidOnly: boolean
  /** The fields of the body besides the common fields. Must be a `z.strictObject`. */
  body: Body
  /** The processing deadline in milliseconds, if it is shorter than the deadline of the medium. */
  deadlineMs?: number
  price: MicroUsd
  priceUnit: PriceUnit
  /** Returns the minimum and maximum number of units to charge. If missing, every request costs one unit. */
  units?: (parameters: Record<string, unknown>) => Bounds<number>
  /** How many bytes to fetch first, if the endpoint often needs no more. If missing, the whole source is fetched. */
  firstBytes?: number
  data: Data
  sources?(parameters: z.output<Body>): FurtherSource[]
  example: { body: z.input<Body>; data: z.input<Data> }
}

export function defineEndpoint<const Name extends EndpointPath, Body extends z.ZodObject, Data extends z.ZodObject>(
  endpoint: Endpoint<Name, Body, Data>,
): Endpoint<Name, Body, Data> {
  return endpoint
}

export function unitsOf(endpoint: Endpoint, parameters: Record<string, unknown>): Bounds<number> {
  return endpoint.units?.(parameters) ?? exactly(1)
}

export function pricesOf(unitPrice: MicroUsd, { minimum, maximum }: Bounds<number>): Bounds<MicroUsd> {
  return { minimum: times(unitPrice, minimum), maximum: maximum === null ? null : times(unitPrice, maximum) }
}

export function operationSources(operations: readonly OperationInput[]): FurtherSource[] {
  return assetsOf(operations).map(({ operation, param, url }) => ({
    param: `operations.${operation}.${param}`,
    url,
    operation,
  }))
}
