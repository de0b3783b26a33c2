import { z } from 'zod'
import { schemaName } from '../lib/schema-name.ts'
import { kind } from './fields.ts'
import { finalRequests } from './request.ts'

const fieldsOf = <const Status extends keyof typeof finalRequests>(status: Status) => ({
  id: z.string().meta({
    description: 'The same on every retry. Ignore an event that you have already processed.',
    examples: ['evt_5d41402abc4b2a76b9719d911017c592'],
  }),
  object: kind('event'),
  type: z.literal(`request.${status}`).meta({ description: `Always \`request.${status}\` here.` }),
  created: z.int().meta({ description: 'Time when the request finished, in Unix time.' }),
  data: finalRequests[status],
})

function endedAs<const Status extends keyof typeof finalRequests>(status: Status) {
  return z
    .strictObject(fieldsOf(status))
    .meta({ id: `Request${schemaName(status)}Event`, description: `A request has finished with status \`${status}\`.` })
}

export const webhookEvent = z
  .discriminatedUnion('type', [endedAs('succeeded'), endedAs('failed'), endedAs('aborted')])
  .meta({ id: 'WebhookEvent', description: 'A request has finished; `type` contains the status.' })

export type WebhookEvent = z.output<typeof webhookEvent>

const delivery = z
  .strictObject({
    url: z
      .string()
      .nullable()
      .meta({ format: 'uri', description: 'Webhook URL; null if the account had no URL when the request finished.' }),
    status: z.enum(['pending', 'delivered', 'undelivered', 'unaddressed']).meta({
      description:
        '`pending` until an attempt gets a 2xx status, `undelivered` after the last failed attempt, `unaddressed` without a URL.',
    }),
    attempts: z.int().min(0).meta({ description: 'Number of finished attempts.' }),
  })
  .meta({ id: 'EventDelivery', description: 'Delivery of an event.' })

const listedAs = <const Status extends keyof typeof finalRequests>(status: Status) =>
  z.strictObject({ ...fieldsOf(status), delivery }).meta({
    id: `Request${schemaName(status)}ListedEvent`,
    description: `The event of a finished request with status \`${status}\`, with the state of its delivery.`,
  })

export const accountEvent = z
  .discriminatedUnion('type', [listedAs('succeeded'), listedAs('failed'), listedAs('aborted')])
  .meta({ id: 'ListedEvent', description: 'An event and its delivery; `type` contains the status of the request.' })

export type AccountEvent = z.output<typeof accountEvent>
