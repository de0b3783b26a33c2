import { Paper } from '@mantine/core'
import { IconMailCheck } from '@tabler/icons-react'
import type { EventRow, List } from '../../../api/objects.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { EventTable } from '../../../components/event-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { Read } from '../../../components/read.tsx'

export function DeliveriesPage() {
  const events = useApi<List<EventRow>>('/undelivered', { every: 5000 })
  const resend = useChange({ stale: ['/undelivered'], done: 'Queued the events for delivery again.' })
  const count = events.data?.data.length ?? 0
  return (
    <>
      <PageHeader
        title="Deliveries"
        about="Events whose delivery failed four times."
        actions={
          count > 0 && (
            <ConfirmButton
              label="Resend all"
              question="Resend all of these events?"
              confirm="Resend all"
              loading={resend.isPending}
              onConfirm={() => resend.mutate({ method: 'POST', path: '/undelivered/resend-all' })}
            >
              Each event gets four new attempts.
            </ConfirmButton>
          )
        }
      />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={events}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={IconMailCheck} title="No failed deliveries">
                Every event with a webhook URL was delivered or is being retried.
              </EmptyState>
            ) : (
              <EventTable events={data} withAccount />
            )
          }
        </Read>
      </Paper>
    </>
  )
}
