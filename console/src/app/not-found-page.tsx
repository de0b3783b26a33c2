import { IconMapQuestion } from '@tabler/icons-react'
import { EmptyState } from '../components/empty-state.tsx'
import { LinkButton } from '../components/link-button.tsx'
import { PageHeader } from '../components/page-header.tsx'

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon={IconMapQuestion}
        title="This URL does not exist"
        action={
          <LinkButton to="/" mt="sm">
            Go to the overview
          </LinkButton>
        }
      >
        Check the URL for typos. It can also be from another version of the service.
      </EmptyState>
    </>
  )
}
