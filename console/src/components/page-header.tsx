import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { shared } from '../text.ts'

type Props = { title: string; about?: ReactNode; actions?: ReactNode; beside?: ReactNode }

export function PageHeader({ title, about, actions, beside }: Props) {
  useDocumentTitle(shared.windowTitle(title))
  return (
    <Group justify="space-between" align="flex-end" gap="md" mb="lg">
      <Stack gap={4} miw={0}>
        <Group gap="sm">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {beside}
        </Group>
        {about !== undefined && (
          <Text c="dimmed" size="sm" maw={640} style={{ overflowWrap: 'anywhere', textWrap: 'pretty' }}>
            {about}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
