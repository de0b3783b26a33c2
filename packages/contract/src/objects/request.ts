import { z } from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { schemaName } from '../lib/schema-name.ts'
import { failure } from './failure.ts'
import { id, kind, timestamp, url } from './fields.ts'
import { money } from './money.ts'
import { resultSchema } from './result.ts'

const NAMES = ENDPOINTS.map(({ name }): string => name)

/** What was sent, before its defaults: `echo` makes the description refer to the schema of that. */
const inputOf = (endpoint: Endpoint) =>
  z
    .custom<Record<string, unknown>>((value) => endpoint.body.safeParse(value).success)
    .meta({ echo: `${schemaName(endpoint.name)}Input` })

const input = z
  .union(ENDPOINTS.map(inputOf))
  .meta({ id: 'RequestInput', description: 'What was sent besides the source: operations, output and own fields.' })

/** What every request has, in the order it is shown. */
const heading = {
  id: id('Identifier of the request.', 48_211),
  object: kind('request'),
  endpoint: z.enum(NAMES).meta({ description: 'The endpoint that started it.' }),
}
const sent = {
  livemode: z.boolean().meta({ description: 'False when a test key made it.' }),
  source: url('The URL of the source, or the upload that it is.'),
  input,
}
const echoed = {
  customer: z.string().optional().meta({ description: 'Your own customer, as it was sent.' }),
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Your own keys and texts, as they were sent.' }),
  created_at: timestamp('When it was accepted.'),
}
const stage = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] })

/** How long the stages of a request's last attempt took, in milliseconds (rulings 16). They are whole numbers. */
const timings = z
  .strictObject({
    queued_ms: stage('From the acceptance to the beginning of that attempt.', 11),
    download_ms: stage('Until the source and the watermark images were there; 0 when it did not come to that.', 342),
    process_ms: stage('Until the result was made.', 989),
    store_ms: stage('Until the result was stored.', 18),
    total_ms: stage('From the acceptance to the end.', 1360),
  })
  .meta({
    id: 'Timings',
    description: 'How long each stage of the attempt that ended the request took, in milliseconds.',
  })

const begun = timestamp('When work on it began.')
const ended = { completed_at: timestamp('When it finished.'), timings: timings.optional() }
const free = money.meta({ description: 'What was charged: nothing.' })

const status = <const Name extends string>(name: Name) =>
  z.literal(name).meta({ description: `Always \`${name}\` here.` })

const queued = z
  .strictObject({ ...heading, status: status('queued'), ...sent, ...echoed })
  .meta({ id: 'QueuedRequest', description: 'A request that waits for a worker.' })

const processing = z
  .strictObject({
    ...heading,
    status: status('processing'),
    ...sent,
    progress: z.int().min(0).max(100).optional().meta({ description: 'Percent done; on video requests. Only grows.' }),
    ...echoed,
    started_at: begun,
  })
  .meta({ id: 'ProcessingRequest', description: 'A request that is being worked on.' })

const failed = z
  .strictObject({
    ...heading,
    status: status('failed'),
    ...sent,
    error: failure,
    price: free,
    ...echoed,
    started_at: begun.optional(),
    ...ended,
  })
  .meta({ id: 'FailedRequest', description: 'A request that could not be processed. It is not charged.' })

const aborted = z
  .strictObject({
    ...heading,
    status: status('aborted'),
    ...sent,
    price: free,
    ...echoed,
    started_at: begun.optional(),
    ...ended,
  })
  .meta({ id: 'AbortedRequest', description: 'A request that its account stopped. It is not charged.' })

const succeededOf = (endpoint: Endpoint) => {
  const name: string = endpoint.name
  return z
    .strictObject({
      ...heading,
      endpoint: z.literal(name).meta({ description: `Always \`${name}\` here.` }),
      status: status('succeeded'),
      ...sent,
      input: inputOf(endpoint),
      result: resultSchema(endpoint),
      price: money.meta({ description: 'What was charged; zero in test mode.' }),
      ...echoed,
      started_at: begun,
      ...ended,
    })
    .meta({ id: `Succeeded${schemaName(name)}`, description: `A request of ${name} that succeeded.` })
}

const succeededByEndpoint = new Map(ENDPOINTS.map((endpoint) => [endpoint.name, succeededOf(endpoint)]))

function succeededBy(endpoint: Endpoint) {
  const found = succeededByEndpoint.get(endpoint.name)
  if (found === undefined) throw new RangeError(`no such endpoint: ${endpoint.name}`)
  return found
}

/** A request that succeeded, told apart by its endpoint. */
export const succeeded = z
  .discriminatedUnion('endpoint', nonEmpty(ENDPOINTS.map(succeededBy)))
  .meta({ id: 'SucceededRequest', description: 'A request that succeeded; `endpoint` says what its result holds.' })

/** Spec 2.1: a request of any endpoint, told apart by its status. */
export const mediaRequest = z.discriminatedUnion('status', [queued, processing, succeeded, failed, aborted]).meta({
  id: 'MediaRequest',
  description:
    'One call to a processing endpoint, from its acceptance to its end. `status` says which fields it has. Only `succeeded` is charged.',
})

/** A request of one endpoint: what its own route answers. */
export const requestOf = (endpoint: Endpoint) =>
  z.discriminatedUnion('status', [queued, processing, succeededBy(endpoint), failed, aborted]).meta({
    id: `${schemaName(endpoint.name)}Request`,
    description: `A request of ${endpoint.name}, from its acceptance to its end.`,
  })

export const finalRequests = { succeeded, failed, aborted }

/** A request as answers and events carry it. */
export type RequestBody = z.output<typeof mediaRequest>
export type FinalRequestBody = Extract<RequestBody, { completed_at: string }>

function nonEmpty<Item>([first, ...others]: readonly Item[]): [Item, ...Item[]] {
  if (first === undefined) throw new RangeError('a list without an element')
  return [first, ...others]
}
