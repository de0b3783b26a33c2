import { IconMapQuestion } from '@tabler/icons-react'
import { EmptyState } from '../components/empty-state.tsx'
import { LinkButton } from '../components/link-button.tsx'
import { PageHeader } from '../components/page-header.tsx'

/** The page for an unknown address. */
export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={IconMapQuestion}
        title="This address has no page"
        action={
          <LinkButton to="/" mt="sm">
            Go to the overview
          </LinkButton>
        }
      >
        Check the address for typos. It may also belong to another version of the service.
      </EmptyState>
    </>
  )
}
