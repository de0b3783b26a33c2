import { z } from 'zod'
import { schemaName } from '../domain/schema-name.ts'
import { kind } from './fields.ts'
import { finalRequests } from './request.ts'

function endedAs<const Status extends keyof typeof finalRequests>(status: Status) {
  return z
    .strictObject({
      id: z.string().meta({
        description: 'The same on every retry: ignore one that you have seen.',
        examples: ['evt_5d41402abc4b2a76b9719d911017c592'],
      }),
      object: kind('event'),
      type: z.literal(`request.${status}`).meta({ description: `Always \`request.${status}\` here.` }),
      created: z.int().meta({ description: 'When the request finished, in Unix time.' }),
      data: finalRequests[status],
    })
    .meta({ id: `Request${schemaName(status)}Event`, description: `A request has ended \`${status}\`.` })
}

/** Spec 6.1, told apart by its type. */
export const webhookEvent = z
  .discriminatedUnion('type', [endedAs('succeeded'), endedAs('failed'), endedAs('aborted')])
  .meta({ id: 'WebhookEvent', description: 'A request has finished; `type` says how.' })

export type WebhookEvent = z.output<typeof webhookEvent>
