import type { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import type { Lane } from '../domain/request.ts'

/** The unit that one request's price is counted in (Spec 4.2). */
export type PriceUnit = 'request' | 'started minute' | 'page'

/** The path of a processing endpoint without `/v1/`. */
export type EndpointPath = `${'images' | 'videos' | 'documents'}/${string}`

/** A file that a request needs besides the source. It is fetched before the work starts, once per URL. */
export type FurtherSource = {
  /** The path of the field that names it, such as `operations.0.image_url`. */
  param: string
  url: string
  /** The index of the operation that needs it, if one does: a failure names it. */
  operation?: number
}

/** One processing endpoint: everything the service knows about it. */
export type Endpoint<
  Name extends EndpointPath = EndpointPath,
  Body extends z.ZodObject = z.ZodObject,
  Data extends z.ZodObject = z.ZodObject,
> = {
  /** The path without `/v1/`, the `endpoint` field of its requests, and the task of the engine that does its work. */
  name: Name
  /** What it does, as menus and generated comments title it. */
  title: string
  /** One sentence for the description of the interface. */
  description: string
  media: MediaType
  /** Where its requests wait, and the engines that serve them: light video work has a lane of its own. */
  lane: Lane
  /** Whether the account must have bought credit (Spec 4.2). */
  paidOnly: boolean
  /** What the body holds besides the common fields of Spec 4.1; a `z.strictObject`. */
  body: Body
  /** How long it may be processed at most, where that is less than its medium's limit. */
  deadlineMs?: number
  price: MicroUsd
  priceUnit: PriceUnit
  /**
   * The most units that a request can be charged for, by its parameters; `null` where only the file can tell. The least
   * is one. Missing: every request is one unit.
   */
  mostUnits?: (parameters: Record<string, unknown>) => number | null
  /**
   * For endpoints that need little of a file: so many bytes of its beginning are fetched at first, and more only when the
   * engine asks for them. Missing: the whole source is downloaded.
   */
  firstBytes?: number
  /** Facts in `result.data` (Spec 2.4, rulings 2). */
  data: Data
  /** The files that a valid body asks for besides its source. Missing: none. */
  sources?(parameters: z.output<Body>): FurtherSource[]
  /** For the description: what a call may send besides the common fields, and the facts it may lead to. */
  example: { body: z.input<Body>; data: z.input<Data> }
}

/** Declares an endpoint, and keeps the types of its name, its parameters and its facts. */
export function defineEndpoint<const Name extends EndpointPath, Body extends z.ZodObject, Data extends z.ZodObject>(
  endpoint: Endpoint<Name, Body, Data>,
): Endpoint<Name, Body, Data> {
  return endpoint
}
