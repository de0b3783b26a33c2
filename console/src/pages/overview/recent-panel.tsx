import { IconList } from '@tabler/icons-react'
import type { Overview } from '../../api/objects.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Panel } from '../../components/panel.tsx'
import { RequestTable } from '../../components/request-table.tsx'
import { TextLink } from '../../components/text-link.tsx'

export function RecentPanel({ recent }: Pick<Overview, 'recent'>) {
  return (
    <Panel
      title="Recent requests"
      flush
      actions={
        <TextLink to="/requests" size="sm">
          All requests
        </TextLink>
      }
    >
      {recent.length === 0 ? (
        <EmptyState icon={IconList} title="No requests yet">
          Send a request from your program or the playground.
        </EmptyState>
      ) : (
        <RequestTable requests={recent} label="Recent requests" />
      )}
    </Panel>
  )
}
