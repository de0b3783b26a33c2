import { Skeleton, Stack } from '@mantine/core'
import { shared } from '../text.ts'

export function Loading({ rows = 4, height = 32 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" p="md" aria-busy="true" aria-label={shared.loading} role="status">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  )
}
