import { Button, Group } from '@mantine/core'

type Props<Id> = {
  /** The page that is shown. */
  page: { data: readonly { id: Id }[]; has_more?: boolean }
  /** The row that the page begins behind; `undefined` for the newest page. */
  after: Id | undefined
  onTurn: (after: Id | undefined) => void
}

/** Leads to older rows and back to the newest; nothing where all of them are shown. */
export function Pager<Id>({ page: { data, has_more: hasMore = false }, after, onTurn }: Props<Id>) {
  const isFirst = after === undefined
  if (isFirst && !hasMore) return null
  return (
    <Group justify="space-between" px="md" py="sm">
      <Button variant="default" size="compact-sm" disabled={isFirst} onClick={() => onTurn(undefined)}>
        Newest
      </Button>
      <Button variant="default" size="compact-sm" disabled={!hasMore} onClick={() => onTurn(data.at(-1)?.id)}>
        Older
      </Button>
    </Group>
  )
}
