import { Alert, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { formatCount, formatDuration } from '../../../components/format.ts'
import { TextLink } from '../../../components/text-link.tsx'
import type { Lane } from './lane-state.ts'
import { nameOfLane, stateOf } from './lane-state.ts'
import { text } from './text.ts'

export function StuckLanes({ lanes }: { lanes: Lane[] }) {
  const stuck = lanes.filter((lane) => stateOf(lane) === 'stuck')
  if (stuck.length === 0) return null
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden="true" />}
      title={stuck.length === 1 ? text.aLaneIsStuck : text.lanesAreStuck}
    >
      {stuck.map(({ lane, queued, oldest_seconds }) => (
        <Text key={lane} size="sm">
          <b>{nameOfLane(lane)}</b>
          {text.stuckLane(formatCount(queued), formatDuration(oldest_seconds * 1000))}
        </Text>
      ))}
      <TextLink to="/operator/queue" size="sm" c="inherit" underline="always">
        {text.viewTheQueue}
      </TextLink>
    </Alert>
  )
}
