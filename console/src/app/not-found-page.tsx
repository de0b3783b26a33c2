import { IconMapQuestion } from '@tabler/icons-react'
import { EmptyState } from '../components/empty-state.tsx'
import { LinkButton } from '../components/link-button.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { shared } from '../text.ts'

export function NotFoundPage() {
  return (
    <>
      <PageHeader title={shared.pageNotFound} />
      <EmptyState
        icon={IconMapQuestion}
        title={shared.noSuchUrl}
        action={
          <LinkButton to="/" mt="sm">
            {shared.goToTheOverview}
          </LinkButton>
        }
      >
        {shared.noSuchUrlAbout}
      </EmptyState>
    </>
  )
}
