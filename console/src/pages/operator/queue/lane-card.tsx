import { Group, Paper, Text } from '@mantine/core'
import { formatCount, formatDuration } from '../../../components/format.ts'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Figure } from './figure.tsx'
import type { Lane } from './lane-state.ts'
import { nameOfLane, stateOf } from './lane-state.ts'

const BADGES = { stuck: 'failed', behind: 'queued', moving: 'ok', idle: 'ok' } as const

export function LaneCard({ lane: found }: { lane: Lane }) {
  const { lane, queued, running, oldest_seconds } = found
  const state = stateOf(found)
  return (
    <Paper p="md" component="section" aria-label={`Lane ${nameOfLane(lane)}`}>
      <Group justify="space-between" mb={4}>
        <Text fw={600}>{nameOfLane(lane)}</Text>
        <StatusBadge status={BADGES[state]} label={state} />
      </Group>
      <Group gap="xl">
        <Figure name="Queued" value={formatCount(queued)} />
        <Figure name="Running" value={formatCount(running)} />
        <Figure name="Oldest" value={queued === 0 ? '–' : formatDuration(oldest_seconds * 1000)} />
      </Group>
    </Paper>
  )
}
