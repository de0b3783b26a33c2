import { Button, Paper } from '@mantine/core'
import { IconList } from '@tabler/icons-react'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { messagesByField } from '../../api/call-error.ts'
import type { List, MediaRequest } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Pager } from '../../components/pager.tsx'
import { Read } from '../../components/read.tsx'
import { RequestTable } from '../../components/request-table.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { shared } from '../../text.ts'
import { FilterBar } from './filter-bar.tsx'
import type { Filters } from './filters.ts'
import { isBadMetadata, isFiltered, queryOf, readFilters, withoutPage } from './filters.ts'
import { text } from './text.ts'

export function RequestsPage() {
  // `useSearch` also returns the fields of the URL that the validation removed.
  const filters = readFilters(useSearch({ from: '/requests' }))
  const navigate = useNavigate({ from: '/requests' })
  const isBad = isBadMetadata(filters.metadata)
  const requests = useApi<List<MediaRequest>>('/requests', {
    query: queryOf(filters),
    enabled: !isBad,
    every: filters.before === undefined ? 2000 : false,
    keep: true,
  })
  const problems = messagesByField(requests.error)
  const change = (next: Filters, { typed = false } = {}) =>
    void navigate({ search: (now) => ({ account: now.account, ...next }), replace: typed, resetScroll: !typed })
  return (
    <>
      <PageHeader
        title={shared.requests}
        about={text.requestsAbout}
        beside={filters.before === undefined && !isBad && <LiveDot failed={requests.isError} />}
        actions={<LinkButton to="/playground">{text.newRequest}</LinkButton>}
      />
      <FilterBar filters={filters} onChange={change} problems={problems} />
      {!isBad && Object.keys(problems).length === 0 && (
        <Paper style={{ overflow: 'hidden' }}>
          <Read of={requests} rows={8}>
            {({ data, has_more }) =>
              data.length === 0 ? (
                <NoRequests filtered={isFiltered(filters)} onClear={() => change({})} />
              ) : (
                <>
                  <RequestTable requests={data} label={shared.requests} />
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
      )}
    </>
  )
}

function NoRequests({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState
        icon={IconList}
        title={text.noMatch}
        action={
          <Button variant="default" mt="sm" onClick={onClear}>
            {text.clearTheFilters}
          </Button>
        }
      >
        {text.noMatchAbout}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      icon={IconList}
      title={text.noRequestsYet}
      action={
        <LinkButton to="/playground" mt="sm">
          {text.sendYourFirstRequest}
        </LinkButton>
      }
    >
      {text.noRequestsYetAbout}
    </EmptyState>
  )
}

function LiveDot({ failed }: { failed: boolean }) {
  return <StatusBadge status={failed ? 'failed' : 'ok'} label={failed ? text.updatesStopped : text.updatesLive} />
}
