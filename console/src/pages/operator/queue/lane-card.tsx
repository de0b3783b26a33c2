import { Group, Paper, Text } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { formatCount, formatDuration, formatName } from '../../../components/format.ts'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Figure } from './figure.tsx'

/** How long the oldest of a lane may wait before it is worth a look. */
const LONG_SECONDS = 60

/** One lane: how much waits and runs, and how old the oldest is. */
export function LaneCard({ lane: { lane, queued, running, oldest_seconds } }: { lane: QueueState['lanes'][number] }) {
  const isStuck = queued > 0 && running === 0 && oldest_seconds >= LONG_SECONDS
  const isLate = queued > 0 && oldest_seconds >= LONG_SECONDS
  return (
    <Paper p="md" component="section" aria-label={`Lane ${lane}`}>
      <Group justify="space-between" mb={4}>
        <Text fw={600}>{formatName(lane)}</Text>
        {isStuck ? (
          <StatusBadge status="failed" label="stuck" />
        ) : isLate ? (
          <StatusBadge status="queued" label="behind" />
        ) : (
          <StatusBadge status="ok" label={queued + running === 0 ? 'idle' : 'moving'} />
        )}
      </Group>
      <Group gap="xl">
        <Figure name="Queued" value={formatCount(queued)} />
        <Figure name="Running" value={formatCount(running)} />
        <Figure name="Oldest" value={queued === 0 ? '–' : formatDuration(oldest_seconds * 1000)} />
      </Group>
    </Paper>
  )
}
