import { IconList } from '@tabler/icons-react'
import type { Overview } from '../../api/objects.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Panel } from '../../components/panel.tsx'
import { RequestTable } from '../../components/request-table.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { text } from './text.ts'

export function RecentPanel({ recent }: Pick<Overview, 'recent'>) {
  return (
    <Panel
      title={text.recentRequests}
      flush
      actions={
        <TextLink to="/requests" size="sm">
          {text.allRequests}
        </TextLink>
      }
    >
      {recent.length === 0 ? (
        <EmptyState icon={IconList} title={text.noRequestsYet}>
          {text.noRequestsYetAbout}
        </EmptyState>
      ) : (
        <RequestTable requests={recent} label={text.recentRequests} />
      )}
    </Panel>
  )
}
