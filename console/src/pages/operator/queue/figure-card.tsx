import { Group, Paper, Text } from '@mantine/core'
import { StatusBadge } from '../../../components/status-badge.tsx'

type Props = {
  title: string
  label: string
  status: string
  statusLabel: string
  figures: readonly (readonly [name: string, value: string])[]
}

export function FigureCard({ title, label, status, statusLabel, figures }: Props) {
  return (
    <Paper p="md" component="section" aria-label={label}>
      <Group justify="space-between" mb={4}>
        <Text fw={600}>{title}</Text>
        <StatusBadge status={status} label={statusLabel} />
      </Group>
      <Group gap="xl">
        {figures.map(([name, value]) => (
          <div key={name}>
            <Text size="xs" c="dimmed">
              {name}
            </Text>
            <Text fz={20} fw={640} style={{ fontVariantNumeric: 'tabular-nums' }}>
              {value}
            </Text>
          </div>
        ))}
      </Group>
    </Paper>
  )
}
