import { z } from 'zod'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { inputSchema } from '../endpoints/template-fields.ts'
import { schemaName } from '../lib/schema-name.ts'
import { failure } from './error.ts'
import { id, kind, money, timestamp, url } from './fields.ts'
import { resultSchema } from './result.ts'

const NAMES = ENDPOINTS.map(({ name }): string => name)

/** Returns the schema of a body without defaults. `echo` makes the OpenAPI document reuse the body's input schema. */
const inputOf = (endpoint: Endpoint) =>
  z
    .custom<Record<string, unknown>>((value) => inputSchema(endpoint).safeParse(value).success)
    .meta({ echo: `${schemaName(endpoint.name)}Input` })

const input = z.union(ENDPOINTS.map(inputOf)).meta({
  id: 'RequestInput',
  description:
    'The fields that you sent, such as `operations` and `output`, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent.',
})

const heading = {
  id: id('Request identifier.', 48_211),
  object: kind('request'),
  endpoint: z.enum(NAMES).meta({ description: 'The endpoint of the request.' }),
}
const sent = {
  livemode: z.boolean().meta({ description: 'False for requests of a test key.' }),
  source: url('Source URL, or upload reference.'),
  input,
}
const echoed = {
  customer: z.string().optional().meta({ description: 'Your own customer identifier, as sent.' }),
  metadata: z.record(z.string(), z.string()).optional().meta({ description: 'Your own keys and values, as sent.' }),
  created_at: timestamp('Time of acceptance.'),
}
const stage = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] })

const timings = z
  .strictObject({
    queued_ms: stage('From acceptance to the start of the final attempt.', 11),
    download_ms: stage(
      'Download of the source and the watermark images; 0 if it did not start, or if the request was aborted.',
      342,
    ),
    process_ms: stage('Processing.', 989),
    store_ms: stage('Storing the result.', 18),
    total_ms: stage('From acceptance to the end.', 1360),
  })
  .meta({
    id: 'Timings',
    description: 'Duration of each stage of the final attempt, in milliseconds.',
  })

const begun = timestamp('Time when processing started.')
const ended = { completed_at: timestamp('Time when the request finished.'), timings: timings.optional() }
const free = money.meta({ description: 'Charge; always zero.' })

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
    progress: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .meta({ description: 'Progress in percent, for video requests. It never decreases.' }),
    ...echoed,
    started_at: begun,
  })
  .meta({ id: 'ProcessingRequest', description: 'A request in processing.' })

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
  .meta({ id: 'FailedRequest', description: 'A request that failed. It is not charged.' })

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
  .meta({ id: 'AbortedRequest', description: 'A request that was aborted. It is not charged.' })

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
      price: money.meta({ description: 'Charge; zero in test mode.' }),
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

const succeeded = z.discriminatedUnion('endpoint', nonEmpty(ENDPOINTS.map(succeededBy))).meta({
  id: 'SucceededRequest',
  description: 'A request that succeeded; the type of its result depends on `endpoint`.',
})

export const mediaRequest = z.discriminatedUnion('status', [queued, processing, succeeded, failed, aborted]).meta({
  id: 'MediaRequest',
  description:
    'One call to a processing endpoint, from acceptance to its end. Its fields depend on `status`. Only `succeeded` is charged.',
})

export const requestOf = (endpoint: Endpoint) =>
  z.discriminatedUnion('status', [queued, processing, succeededBy(endpoint), failed, aborted]).meta({
    id: `${schemaName(endpoint.name)}Request`,
    description: `A request of ${endpoint.name}, from acceptance to its end.`,
  })

export const finalRequests = { succeeded, failed, aborted }

export type RequestBody = z.output<typeof mediaRequest>
export type FinalRequestBody = Extract<RequestBody, { completed_at: string }>

function nonEmpty<Item>([first, ...others]: readonly Item[]): [Item, ...Item[]] {
  if (first === undefined) throw new RangeError('the list of schemas is empty')
  return [first, ...others]
}
