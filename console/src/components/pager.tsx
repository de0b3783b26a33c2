import { Button, Group } from '@mantine/core'

type Props = {
  isFirst: boolean
  hasMore: boolean | undefined
  onFirst: () => void
  onNext: () => void
}

/** Leads to older rows and back to the newest; nothing where all of them are shown. */
export function Pager({ isFirst, hasMore = false, onFirst, onNext }: Props) {
  if (isFirst && !hasMore) return null
  return (
    <Group justify="space-between" px="md" py="sm">
      <Button variant="default" size="compact-sm" disabled={isFirst} onClick={onFirst}>
        Newest
      </Button>
      <Button variant="default" size="compact-sm" disabled={!hasMore} onClick={onNext}>
        Older
      </Button>
    </Group>
  )
}
