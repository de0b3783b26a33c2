import { Table, Text } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { number, wide } from '../../../components/columns.ts'
import { Panel } from '../../../components/panel.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TableFrame } from '../../../components/table-frame.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { When } from '../../../components/when.tsx'
import { shared } from '../../../text.ts'
import { text } from './text.ts'

type Row = QueueState['running'][number]
type Props = { title: string; rows: Row[]; none: string } & Pick<QueueState, 'workers'>

export function QueuedPanel({ title, rows, workers, none }: Props) {
  const hosts = new Map(workers.map(({ id, host }) => [id, host]))
  const isHeld = rows.some(({ worker }) => worker !== null)
  return (
    <Panel title={title} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <TableFrame
          label={title}
          columns={[
            shared.request,
            shared.status,
            wide(shared.account),
            isHeld && wide(text.worker),
            number(shared.attempt),
            wide(shared.accepted),
          ]}
        >
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
                <Progress row={row} />
              </Table.Td>
              <Table.Td visibleFrom="sm">{row.account}</Table.Td>
              {isHeld && (
                <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
                  {row.worker !== null && (hosts.get(row.worker) ?? text.unknown)}
                </Table.Td>
              )}
              <Table.Td ta="right">{row.attempt}</Table.Td>
              <Table.Td visibleFrom="sm">
                <When at={row.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </TableFrame>
      )}
    </Panel>
  )
}

function Progress({ row: { status, lane, progress, parts: segments } }: { row: Row }) {
  if (status !== 'processing' || lane !== 'video') return null
  return (
    <Text size="xs" c="dimmed" mt={2}>
      {progress} %{segments !== null && text.segmentsDoneOf(segments.made, segments.total)}
    </Text>
  )
}
