import { Button, Group } from '@mantine/core'
import { shared } from '../text.ts'

type Props<Id> = {
  page: { data: readonly { id: Id }[]; has_more?: boolean }
  /** The id of the last row on the previous page. Undefined on the first page. */
  after: Id | undefined
  onTurn: (after: Id | undefined) => void
}

export function Pager<Id>({ page: { data, has_more: hasMore = false }, after, onTurn }: Props<Id>) {
  const isFirst = after === undefined
  if (isFirst && !hasMore) return null
  return (
    <Group justify="space-between" px="md" py="sm">
      <Button variant="default" size="compact-sm" disabled={isFirst} onClick={() => onTurn(undefined)}>
        {shared.newest}
      </Button>
      <Button variant="default" size="compact-sm" disabled={!hasMore} onClick={() => onTurn(data.at(-1)?.id)}>
        {shared.older}
      </Button>
    </Group>
  )
}
