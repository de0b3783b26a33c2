import { Button, Paper } from '@mantine/core'
import { IconList } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { List, MediaRequest } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Pager } from '../../components/pager.tsx'
import { Read } from '../../components/read.tsx'
import { RequestTable } from '../../components/request-table.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { Filters } from './filters.ts'
import { isFiltered, queryOf, withoutPage } from './filters.ts'
import { LiveDot } from './live-dot.tsx'

export function RequestsPage() {
  const filters = useSearch({ from: '/requests' })
  const navigate = useNavigate({ from: '/requests' })
  const requests = useApi<List<MediaRequest>>('/requests', {
    query: queryOf(filters),
    every: filters.before === undefined ? 2000 : false,
    keep: true,
  })
  const change = (next: Filters, { typed = false } = {}) =>
    void navigate({ search: (now) => ({ account: now.account, ...next }), replace: typed, resetScroll: !typed })
  return (
    <>
      <PageHeader
        title="Requests"
        about="All requests of the account. The page URL contains the filters, so you can share it."
        beside={filters.before === undefined && <LiveDot failed={requests.isError} />}
        actions={<LinkButton to="/playground">New request</LinkButton>}
      />
      <FilterBar filters={filters} onChange={change} error={requests.error} />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={requests} rows={8}>
          {({ data, has_more }) =>
            data.length === 0 ? (
              <NoRequests filtered={isFiltered(filters)} onClear={() => change({})} />
            ) : (
              <>
                <RequestTable requests={data} label="Requests" />
                <Pager
                  page={{ data, has_more }}
                  after={filters.before}
                  onTurn={(before) => change(before === undefined ? withoutPage(filters) : { ...filters, before })}
                />
              </>
            )
          }
        </Read>
      </Paper>
    </>
  )
}

function NoRequests({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState
        icon={IconList}
        title="No requests match these filters"
        action={
          <Button variant="default" mt="sm" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        Remove a filter, or choose a longer period.
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={IconList}
      title="No requests yet"
      action={
        <LinkButton to="/playground" mt="sm">
          Send your first request
        </LinkButton>
      }
    >
      In the playground, send a sample or your own file in test mode for free, and copy the code.
    </EmptyState>
  )
}
