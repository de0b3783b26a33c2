import { IconWebhook } from '@tabler/icons-react'
import type { EventRow, List, MediaRequest } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { EventDetails } from '../../components/event-details.tsx'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { text } from './text.ts'

export function DeliveriesPanel({ request }: { request: MediaRequest }) {
  const isFinal = 'completed_at' in request
  const events = useApi<List<EventRow>>('/events', {
    query: { request_id: request.id },
    enabled: isFinal,
    every: isFinal && 3000,
  })
  if (!isFinal) return null
  return (
    <Panel title={text.webhookDelivery} flush>
      <Read of={events} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={IconWebhook} title={text.noEventForThisRequest}>
              {text.noEventForThisRequestAbout}
            </EmptyState>
          ) : (
            data.map((event) => <EventDetails key={event.id} event={event} />)
          )
        }
      </Read>
    </Panel>
  )
}
