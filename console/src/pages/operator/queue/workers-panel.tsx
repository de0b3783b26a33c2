import { Box, Table, Text } from '@mantine/core'
import { IconServer } from '@tabler/icons-react'
import type { QueueState } from '../../../api/objects.ts'
import { number, wide } from '../../../components/columns.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Panel } from '../../../components/panel.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TableFrame } from '../../../components/table-frame.tsx'
import { When } from '../../../components/when.tsx'
import { text } from './text.ts'

export function WorkersPanel({ workers }: Pick<QueueState, 'workers'>) {
  return (
    <Panel title={text.workers} flush>
      {workers.length === 0 ? (
        <EmptyState icon={IconServer} title={text.noWorkers}>
          {text.noWorkersAbout}
        </EmptyState>
      ) : (
        <TableFrame
          label={text.workers}
          columns={[text.worker, wide(text.state), number(text.running), wide(text.started), wide(text.lastSeen)]}
        >
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
                    {text.runsNoJobs}
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
                    {worker.parts === 1 ? text.oneSegment : text.segments(worker.parts)}
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
        </TableFrame>
      )}
    </Panel>
  )
}

function State({ worker: { alive, draining_at } }: { worker: QueueState['workers'][number] }) {
  const label = alive ? (draining_at === null ? text.alive : text.draining) : text.silent
  return <StatusBadge status={alive ? 'ok' : 'failed'} label={label} />
}
