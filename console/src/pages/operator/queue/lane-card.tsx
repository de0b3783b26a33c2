import { Group, Paper, Text } from '@mantine/core'
import { formatCount, formatDuration } from '../../../components/format.ts'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { Figure } from './figure.tsx'
import type { Lane } from './lane-state.ts'
import { nameOfLane, stateOf } from './lane-state.ts'
import { text } from './text.ts'

const BADGES = { stuck: 'failed', behind: 'queued', moving: 'ok', idle: 'ok' } as const

export function LaneCard({ lane: found }: { lane: Lane }) {
  const { lane, queued, running, oldest_seconds } = found
  const state = stateOf(found)
  return (
    <Paper p="md" component="section" aria-label={text.lane(nameOfLane(lane))}>
      <Group justify="space-between" mb={4}>
        <Text fw={600}>{nameOfLane(lane)}</Text>
        <StatusBadge status={BADGES[state]} label={text.states[state]} />
      </Group>
      <Group gap="xl">
        <Figure name={text.queued} value={formatCount(queued)} />
        <Figure name={text.running} value={formatCount(running)} />
        <Figure name={text.oldest} value={queued === 0 ? '–' : formatDuration(oldest_seconds * 1000)} />
      </Group>
    </Paper>
  )
}
