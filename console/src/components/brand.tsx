import { Group, Text } from '@mantine/core'
import { shared } from '../text.ts'

export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <svg
        width="22"
        height="22"
        viewBox="0 0 16 16"
        aria-hidden="true"
        fill="none"
        stroke="var(--mantine-color-anchor)"
        strokeWidth="1.6"
      >
        <circle cx="8" cy="8" r="5" />
        <path d="M8 1v14M1 8h14M3 3l10 10M13 3 3 13" />
      </svg>
      <Text fw={680} fz={16} style={{ letterSpacing: '-0.015em' }}>
        {shared.mediamill}
      </Text>
    </Group>
  )
}
