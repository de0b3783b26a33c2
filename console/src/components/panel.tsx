import { Box, Group, Paper, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  about?: ReactNode
  actions?: ReactNode
  flush?: boolean
  children: ReactNode
}

export function Panel({ title, about, actions, flush = false, children }: Props) {
  return (
    <Paper component="section" aria-label={title} h="100%" style={{ overflow: 'hidden', minWidth: 0 }}>
      <Group justify="space-between" px="md" pt="sm" pb={flush ? 'sm' : 4} gap="xs" wrap="nowrap" align="flex-start">
        <Box>
          <Title order={2} size="sm">
            {title}
          </Title>
          {about !== undefined && (
            <Text size="xs" c="dimmed" mt={2}>
              {about}
            </Text>
          )}
        </Box>
        {actions}
      </Group>
      <Box px={flush ? 0 : 'md'} pb={flush ? 0 : 'md'} pt={flush ? 0 : 8}>
        {children}
      </Box>
    </Paper>
  )
}
