import { Group, Paper, Text } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { formatCount, formatDuration } from '../../../components/format.ts'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Figure } from './figure.tsx'

export function SegmentsCard({ parts: segments }: Pick<QueueState, 'parts'>) {
  const { videos, workers, waiting, running, done, oldest_seconds } = segments
  const isMoving = running > 0 || waiting === 0
  return (
    <Paper p="md" component="section" aria-label="Split videos">
      <Group justify="space-between" mb={4}>
        <Text fw={600}>Split videos</Text>
        <StatusBadge status={isMoving ? 'ok' : 'queued'} label={isMoving ? 'moving' : 'waiting'} />
      </Group>
      <Group gap="xl">
        <Figure name="Videos" value={formatCount(videos)} />
        <Figure name="Segments waiting" value={formatCount(waiting)} />
        <Figure name="Segments running" value={formatCount(running)} />
        <Figure name="Segments done" value={formatCount(done)} />
        <Figure name="Workers" value={formatCount(workers)} />
        <Figure name="Oldest" value={formatDuration(oldest_seconds * 1000)} />
      </Group>
    </Paper>
  )
}
