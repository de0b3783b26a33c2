import { Table, Text } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import type { LedgerRow, List } from '../api/objects.ts'
import { useApi } from '../api/use-api.ts'
import { useAddress } from '../app/use-address.ts'
import { shared } from '../text.ts'
import { number, wide } from './columns.ts'
import { EmptyState } from './empty-state.tsx'
import { Pager } from './pager.tsx'
import { Panel } from './panel.tsx'
import { Price } from './price.tsx'
import { Read } from './read.tsx'
import { StatusBadge } from './status-badge.tsx'
import { TableFrame } from './table-frame.tsx'
import { TextLink } from './text-link.tsx'
import { When } from './when.tsx'

export function LedgerTable({ account }: { account?: number }) {
  const [{ booked_after: after }, turn] = useAddress({ booked_after: '' })
  const rows = useApi<List<LedgerRow>>('/ledger', { query: { account, after, limit: 25 }, keep: true })
  return (
    <Panel title={shared.ledger} about={shared.ledgerAbout} flush>
      <Read of={rows}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <EmptyState icon={IconReceipt} title={shared.noEntriesYet} />
          ) : (
            <>
              <TableFrame
                label={shared.ledger}
                columns={[shared.entry, number(shared.amount), wide(shared.accountAndRequest), wide(shared.when)]}
              >
                {data.map((row) => (
                  <LedgerTableRow key={row.id} row={row} />
                ))}
              </TableFrame>
              <Pager
                page={{ data, has_more }}
                after={after === '' ? undefined : Number(after)}
                onTurn={(id) => turn({ booked_after: String(id ?? '') })}
              />
            </>
          )
        }
      </Read>
    </Panel>
  )
}

function LedgerTableRow({ row }: { row: LedgerRow }) {
  return (
    <Table.Tr>
      <Table.Td>
        <StatusBadge status={row.amount.micro_usd < 0 ? 'quiet' : 'ok'} label={row.kind} />
        {row.reference !== null && (
          <Text size="xs" c="dimmed" mt={2} style={{ overflowWrap: 'anywhere' }}>
            {row.reference}
          </Text>
        )}
        <Text size="xs" c="dimmed" hiddenFrom="sm" mt={4}>
          <Subject row={row} />
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          <When at={row.created_at} />
        </Text>
      </Table.Td>
      <Table.Td ta="right" fw={600}>
        <Price money={row.amount} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Subject row={row} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <When at={row.created_at} />
      </Table.Td>
    </Table.Tr>
  )
}

/** The account and the request of an entry. */
function Subject({ row: { account, request } }: { row: LedgerRow }) {
  return (
    <>
      {shared.inAccount(account)}
      {request !== null && (
        <>
          {shared.andRequest}
          <TextLink
            to="/requests/$id"
            params={{ id: String(request) }}
            search={{ account }}
            fz="inherit"
            underline="always"
          >
            {request}
          </TextLink>
        </>
      )}
    </>
  )
}
