import { IconMapQuestion } from '@tabler/icons-react'
import { EmptyState } from '../components/empty-state.tsx'
import { LinkButton } from '../components/link-button.tsx'
import { PageHeader } from '../components/page-header.tsx'

/** Says that there is no such page. */
export function NotFoundPage() {
  return (
    <>
      <PageHeader title="No such page" />
      <EmptyState
        icon={IconMapQuestion}
        title="There is nothing at this address"
        action={
          <LinkButton to="/" mt="sm">
            To the overview
          </LinkButton>
        }
      >
        It may have been typed wrong, or belong to another version of the service.
      </EmptyState>
    </>
  )
}
