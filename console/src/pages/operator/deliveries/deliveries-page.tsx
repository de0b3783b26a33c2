import { Paper } from '@mantine/core'
import { IconMailCheck } from '@tabler/icons-react'
import type { EventRow, List } from '../../../api/objects.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { EventTable } from '../../../components/event-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { Read } from '../../../components/read.tsx'

/** The events that no attempt could deliver, of all accounts. */
export function DeliveriesPage() {
  const events = useApi<List<EventRow>>('/undelivered', { every: 5000 })
  const resend = useChange({ stale: ['/undelivered'], done: 'They are on their way again.' })
  const count = events.data?.data.length ?? 0
  return (
    <>
      <PageHeader
        title="Deliveries"
        about="Events that were given up after their fourth attempt. They are kept, and can be sent again."
        actions={
          count > 0 && (
            <ConfirmButton
              label="Resend all"
              question="Send every one of them again?"
              confirm="Resend all"
              loading={resend.isPending}
              onConfirm={() => resend.mutate({ method: 'POST', path: '/undelivered/resend-all' })}
            >
              Each gets four attempts anew. An address that still does not answer is given up again.
            </ConfirmButton>
          )
        }
      />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={events}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={IconMailCheck} title="Nothing was given up">
                Every event with an address has arrived, or is still being tried.
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
