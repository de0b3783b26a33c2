import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export function Stat({ name, value, about }: { name: string; value: ReactNode; about?: ReactNode }) {
  return (
    <Paper px="md" py="sm">
      <Text size="xs" c="dimmed" fw={550}>
        {name}
      </Text>
      <Text
        fz={{ base: 20, xs: 24 }}
        fw={640}
        lh={1.35}
        style={{ fontVariantNumeric: 'tabular-nums', letterSpacing: '-0.01em' }}
      >
        {value}
      </Text>
      {about !== undefined && (
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      )}
    </Paper>
  )
}
