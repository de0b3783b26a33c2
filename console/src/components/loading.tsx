import { Skeleton, Stack } from '@mantine/core'
import { shared } from '../text.ts'

export function Loading({ rows = 4 }: { rows?: number }) {
  return (
    <Stack gap="xs" p="md" aria-busy="true" aria-label={shared.loading} role="status">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={32} radius="sm" />
      ))}
    </Stack>
  )
}
