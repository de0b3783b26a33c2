import { Stack, Text, ThemeIcon } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

type Props = { icon: Icon; title: string; children?: ReactNode; action?: ReactNode }

export function EmptyState({ icon: StateIcon, title, children, action }: Props) {
  return (
    <Stack align="center" gap={6} py={36} px="md" ta="center">
      <ThemeIcon variant="light" size={44} radius="xl" mb={4}>
        <StateIcon size={22} aria-hidden="true" />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text size="sm" c="dimmed" maw={420}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}
