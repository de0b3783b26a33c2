import { Table, Text } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { Panel } from '../../../components/panel.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TableFrame } from '../../../components/table-frame.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { When } from '../../../components/when.tsx'

type Props = { title: string; rows: QueueState['running']; none: string }

/** Open requests of all accounts, with their attempts. */
export function QueuedPanel({ title, rows, none }: Props) {
  return (
    <Panel title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <TableFrame label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Request</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th visibleFrom="sm">Account</Table.Th>
              <Table.Th ta="right">Attempt</Table.Th>
              <Table.Th visibleFrom="sm">Accepted</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>
                  <TextLink
                    to="/requests/$id"
                    params={{ id: String(row.id) }}
                    search={{ account: row.account }}
                    fw={600}
                    size="sm"
                  >
                    {row.id}
                  </TextLink>
                  <Text size="xs" c="dimmed">
                    {row.endpoint}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <StatusBadge status={row.status} />
                </Table.Td>
                <Table.Td visibleFrom="sm">{row.account}</Table.Td>
                <Table.Td ta="right">{row.attempt}</Table.Td>
                <Table.Td visibleFrom="sm">
                  <When at={row.created_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </TableFrame>
      )}
    </Panel>
  )
}
