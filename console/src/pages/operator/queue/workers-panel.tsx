import { Box, Table, Text } from '@mantine/core'
import { IconServer } from '@tabler/icons-react'
import type { QueueState } from '../../../api/objects.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TableFrame } from '../../../components/table-frame.tsx'
import { When } from '../../../components/when.tsx'

export function WorkersPanel({ workers }: Pick<QueueState, 'workers'>) {
  return (
    <Panel title="Workers" flush>
      {workers.length === 0 ? (
        <EmptyState icon={IconServer} title="No workers">
          Requests wait for a worker. Start one with `mediamill serve` or `mediamill worker`.
        </EmptyState>
      ) : (
        <TableFrame label="Workers">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Worker</Table.Th>
              <Table.Th visibleFrom="sm">State</Table.Th>
              <Table.Th ta="right">Running</Table.Th>
              <Table.Th visibleFrom="sm">Started</Table.Th>
              <Table.Th visibleFrom="sm">Last seen</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {workers.map((worker) => (
              <Table.Tr key={worker.id}>
                <Table.Td>
                  <Text size="sm" fw={550}>
                    {worker.host}
                  </Text>
                  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {worker.id}
                  </Text>
                  {worker.role === 'maintenance' && (
                    <Text size="xs" c="dimmed">
                      Runs no jobs
                    </Text>
                  )}
                  <Box hiddenFrom="sm" mt={4}>
                    <State worker={worker} />
                  </Box>
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <State worker={worker} />
                </Table.Td>
                <Table.Td ta="right">
                  {worker.running}
                  {worker.parts > 0 && (
                    <Text size="xs" c="dimmed">
                      {worker.parts === 1 ? '1 part' : `${worker.parts} parts`}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <When at={worker.started_at} />
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <When at={worker.seen_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </TableFrame>
      )}
    </Panel>
  )
}

function State({ worker: { alive, draining_at } }: { worker: QueueState['workers'][number] }) {
  const label = alive ? (draining_at === null ? 'alive' : 'draining') : 'silent'
  return <StatusBadge status={alive ? 'ok' : 'failed'} label={label} />
}
