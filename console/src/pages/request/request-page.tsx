import { Grid, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { MediaRequest } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Read } from '../../components/read.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { DetailsPanel } from './details-panel.tsx'
import { FailurePanel } from './failure-panel.tsx'
import { JsonPanel } from './json-panel.tsx'
import { OperationsPanel } from './operations-panel.tsx'
import { RequestActions } from './request-actions.tsx'
import { ResultPanel } from './result-panel.tsx'
import { text } from './text.ts'
import { Timeline } from './timeline.tsx'

const isOpen = (request: MediaRequest | undefined) => request === undefined || !('completed_at' in request)

export function RequestPage() {
  const { id } = useParams({ from: '/requests/$id' })
  const path = `/requests/${id}`
  const current = useApi<MediaRequest>(path)
  const request = useApi<MediaRequest>(path, { every: isOpen(current.data) && !current.isError ? 1000 : false })
  return (
    <>
      {request.data === undefined && (
        <PageHeader
          title={text.requestNumber(id)}
          actions={request.isError ? <LinkButton to="/requests">{text.allRequests}</LinkButton> : undefined}
        />
      )}
      <Read of={request}>{(found) => <Found request={found} />}</Read>
    </>
  )
}

function Found({ request }: { request: MediaRequest }) {
  return (
    <>
      <PageHeader
        title={text.requestNumber(request.id)}
        about={request.endpoint}
        beside={
          <>
            <StatusBadge status={request.status} />
            <StatusBadge status={request.livemode ? 'live' : 'test'} label={request.livemode ? text.live : text.test} />
          </>
        }
        actions={<RequestActions request={request} />}
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="md">
            {request.status === 'failed' && <FailurePanel request={request} />}
            <ResultPanel request={request} />
            <Timeline request={request} />
            <DeliveriesPanel request={request} />
            <JsonPanel request={request} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="md">
            <OperationsPanel request={request} />
            <DetailsPanel request={request} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  )
}
