import { z } from 'zod'
import { schemaName } from '../lib/schema-name.ts'
import { kind } from './fields.ts'
import { finalRequests } from './request.ts'

const fieldsOf = <const Status extends keyof typeof finalRequests>(status: Status) => ({
  id: z.string().meta({
    description: 'The same on every retry: ignore one that you have seen.',
    examples: ['evt_5d41402abc4b2a76b9719d911017c592'],
  }),
  object: kind('event'),
  type: z.literal(`request.${status}`).meta({ description: `Always \`request.${status}\` here.` }),
  created: z.int().meta({ description: 'When the request finished, in Unix time.' }),
  data: finalRequests[status],
})

function endedAs<const Status extends keyof typeof finalRequests>(status: Status) {
  return z
    .strictObject(fieldsOf(status))
    .meta({ id: `Request${schemaName(status)}Event`, description: `A request has ended \`${status}\`.` })
}

/** Spec 6.1, told apart by its type. */
export const webhookEvent = z
  .discriminatedUnion('type', [endedAs('succeeded'), endedAs('failed'), endedAs('aborted')])
  .meta({ id: 'WebhookEvent', description: 'A request has finished; `type` says how.' })

export type WebhookEvent = z.output<typeof webhookEvent>

const delivery = z
  .strictObject({
    url: z
      .string()
      .nullable()
      .meta({ format: 'uri', description: 'Where it is posted; null where there was no address at its end.' }),
    status: z.enum(['pending', 'delivered', 'undelivered', 'unaddressed']).meta({
      description:
        '`pending` until an attempt was answered with a 2xx status, `undelivered` after the last that was not, `unaddressed` without a URL.',
    }),
    attempts: z.int().min(0).meta({ description: 'Attempts of this delivery that have ended.' }),
  })
  .meta({ id: 'EventDelivery', description: 'Where an event went.' })

const listedAs = <const Status extends keyof typeof finalRequests>(status: Status) =>
  z.strictObject({ ...fieldsOf(status), delivery }).meta({
    id: `Request${schemaName(status)}ListedEvent`,
    description: `A request has ended \`${status}\`, and where its event went.`,
  })

/** Spec 6.5: an event as the list shows it. */
export const accountEvent = z
  .discriminatedUnion('type', [listedAs('succeeded'), listedAs('failed'), listedAs('aborted')])
  .meta({ id: 'ListedEvent', description: 'An event, and where it went; `type` says how the request has ended.' })

export type AccountEvent = z.output<typeof accountEvent>
