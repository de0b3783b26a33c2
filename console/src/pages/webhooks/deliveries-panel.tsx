import { IconWebhook } from '@tabler/icons-react'
import type { EventRow, List } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { useAddress } from '../../app/use-address.ts'
import { ChipRow } from '../../components/chip-row.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { EventTable } from '../../components/event-table.tsx'
import { Pager } from '../../components/pager.tsx'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

const STATUSES = [
  ['', text.all],
  ['pending', text.pending],
  ['undelivered', text.undelivered],
] as const

export function DeliveriesPanel() {
  const [{ status: named, after }, choose] = useAddress({ status: '', after: '' })
  const status = STATUSES.map(([name]) => name).find((name) => name === named) ?? ''
  const events = useApi<List<EventRow>>('/events', {
    query: { status, after, limit: 20 },
    every: after === '' ? 2000 : false,
    keep: true,
  })
  return (
    <Panel
      title={shared.deliveries}
      flush
      actions={
        <ChipRow
          label={shared.status}
          options={STATUSES}
          value={status}
          onChange={(chosen) => choose({ status: chosen, after: '' })}
        />
      }
    >
      <Read of={events}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <EmptyState icon={IconWebhook} title={status === '' ? text.noEventsYet : text.noEventsWithStatus(status)}>
              {text.noEventsAbout}
            </EmptyState>
          ) : (
            <>
              <EventTable events={data} />
              <Pager
                page={{ data, has_more }}
                after={after === '' ? undefined : after}
                onTurn={(id) => choose({ after: id ?? '' })}
              />
            </>
          )
        }
      </Read>
    </Panel>
  )
}
