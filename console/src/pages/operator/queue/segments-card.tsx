import { Group, Paper, Text } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { formatCount, formatDuration } from '../../../components/format.ts'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Figure } from './figure.tsx'
import { text } from './text.ts'

export function SegmentsCard({ parts: segments }: Pick<QueueState, 'parts'>) {
  const { videos, workers, waiting, running, done, oldest_seconds } = segments
  const isMoving = running > 0 || waiting === 0
  return (
    <Paper p="md" component="section" aria-label={text.splitVideos}>
      <Group justify="space-between" mb={4}>
        <Text fw={600}>{text.splitVideos}</Text>
        <StatusBadge status={isMoving ? 'ok' : 'queued'} label={isMoving ? text.moving : text.waiting} />
      </Group>
      <Group gap="xl">
        <Figure name={text.videos} value={formatCount(videos)} />
        <Figure name={text.segmentsWaiting} value={formatCount(waiting)} />
        <Figure name={text.segmentsRunning} value={formatCount(running)} />
        <Figure name={text.segmentsDone} value={formatCount(done)} />
        <Figure name={text.workers} value={formatCount(workers)} />
        <Figure name={text.oldest} value={formatDuration(oldest_seconds * 1000)} />
      </Group>
    </Paper>
  )
}
