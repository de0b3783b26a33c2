import { Paper } from '@mantine/core'
import { IconMailCheck } from '@tabler/icons-react'
import type { EventRow, List } from '../../../api/objects.ts'
import { useApi, useChange } from '../../../api/use-api.ts'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { EventTable } from '../../../components/event-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { Read } from '../../../components/read.tsx'
import { shared } from '../../../text.ts'
import { text } from './text.ts'

export function DeliveriesPage() {
  const events = useApi<List<EventRow>>('/undelivered', { every: 5000 })
  const resend = useChange({ stale: ['/undelivered'], done: text.queuedForDelivery })
  const count = events.data?.data.length ?? 0
  return (
    <>
      <PageHeader
        title={shared.deliveries}
        about={text.deliveriesAbout}
        actions={
          count > 0 && (
            <ConfirmButton
              label={text.resendAll}
              question={text.resendAllQuestion}
              confirm={text.resendAll}
              loading={resend.isPending}
              onConfirm={() => resend.mutate({ method: 'POST', path: '/undelivered/resend-all' })}
            >
              {text.resendAllAbout}
            </ConfirmButton>
          )
        }
      />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={events}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState icon={IconMailCheck} title={text.noFailedDeliveries}>
                {text.noFailedDeliveriesAbout}
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
