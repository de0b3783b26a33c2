import type { z } from 'zod'
import type { MediaType } from '../domain/media.ts'
import type { MicroUsd } from '../domain/money.ts'
import type { Lane } from '../domain/request.ts'

/** What the price of one request is counted in (Spec 4.2). */
export type PriceUnit = 'request' | 'started minute' | 'page'

/** One processing endpoint: everything the service knows about it. */
export type Endpoint<Body extends z.ZodObject = z.ZodObject> = {
  /** The path without `/v1/`, and the `endpoint` field of its requests. */
  name: `${'images' | 'videos' | 'documents'}/${string}`
  /** What it does, as menus and generated comments title it. */
  title: string
  /** One sentence for the description of the interface. */
  description: string
  media: MediaType
  /** Where its requests wait; missing: the lane of its medium. */
  lane?: Lane
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
  data: z.ZodObject
  /** For the description: what a call may send besides the common fields, and the facts it may lead to. */
  example: { body: z.input<Body>; data: Record<string, unknown> }
}

/** The lane that an endpoint's requests wait in. */
export const laneOf = ({ lane, media }: Endpoint): Lane => lane ?? media

/** Declares an endpoint; its body's type is known inside and forgotten outside: the list holds them all. */
export function defineEndpoint<Body extends z.ZodObject>(endpoint: Endpoint<Body>): Endpoint {
  // The list is read through one type; the example was checked against this endpoint's own body.
  return endpoint as unknown as Endpoint
}
