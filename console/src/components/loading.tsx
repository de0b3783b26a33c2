import { Skeleton, Stack } from '@mantine/core'

export function Loading({ rows = 4, height = 32 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" p="md" aria-busy="true" aria-label="Loading" role="status">
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  )
}
