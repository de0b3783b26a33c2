import { z } from 'zod'
import { LIST_LIMIT } from '../domain/limits.ts'
import { imagesProcess } from '../endpoints/images-process.ts'
import { accountEvent } from '../objects/event.ts'
import { exampleSucceeded } from '../objects/examples.ts'
import { integer, listOf } from '../objects/fields.ts'
import { defineRoute } from '../route.ts'

const eventList = listOf('EventList', accountEvent, {
  page: 'Events, oldest first.',
  more: 'Whether newer events follow.',
})

/** Matches the ids of events. The API rejects other ids without a database query. */
const EVENT_ID = /^evt_\w{1,64}$/

export const listEvents = defineRoute({
  operationId: 'listEvents',
  method: 'get',
  path: '/v1/events',
  tag: 'Events',
  summary: 'List events',
  description:
    'Lists the events of finished requests, oldest first, delivered or not. For the next page, pass the last id as `after`. New events are always appended after those you have already read. `Prefer: wait=30` delays the response until an event exists.',
  key: true,
  query: z.object({
    limit: integer(1, LIST_LIMIT.maximum, 'Events per page.').default(LIST_LIMIT.default),
    after: z
      .string()
      .regex(EVENT_ID, { error: 'must be the id of an event, such as evt_5d41402abc4b2a76b9719d911017c592' })
      .optional()
      .meta({ description: 'Only events after this event.' }),
    request_id: z.int().optional().meta({ description: 'Only the event of this request.' }),
  }),
  headers: ['Prefer'],
  responses: {
    200: {
      description: 'A page of events; empty if no event follows `after` yet.',
      schema: eventList,
      example: {
        object: 'list',
        data: [
          {
            id: 'evt_5d41402abc4b2a76b9719d911017c592',
            object: 'event',
            type: 'request.succeeded',
            created: 1_795_253_401,
            data: exampleSucceeded(imagesProcess),
            delivery: { url: null, status: 'unaddressed', attempts: 0 },
          },
        ],
        has_more: false,
      },
      headers: ['Preference-Applied'],
    },
  },
  rejections: ['validation_failed'],
})
