import { IconLock } from '@tabler/icons-react'
import type { SessionKind } from '../../api/objects.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'

const OF_OWNERS = /^\/(?:keys|webhooks|settings)\/?$/
const OF_OPERATORS = /^\/operator\//

/** Returns whether a session of this kind may open a page. The service would reject the calls of other pages. */
export function mayOpen(kind: SessionKind, path: string): boolean {
  if (OF_OPERATORS.test(path)) return kind === 'operator'
  return kind !== 'key' || !OF_OWNERS.test(path)
}

export function NotForSession({ path }: { path: string }) {
  const isOfOperators = OF_OPERATORS.test(path)
  return (
    <>
      <PageHeader title="You don’t have access to this page" />
      <EmptyState
        icon={IconLock}
        title={isOfOperators ? 'Operators only' : 'This page requires a sign-in link'}
        action={
          <LinkButton to="/" mt="sm">
            Go to the overview
          </LinkButton>
        }
      >
        {isOfOperators
          ? 'To sign in as an operator, run mediamill console --operator, and open the link that it prints.'
          : 'You signed in with an API key. To manage keys, secrets, and settings, use a sign-in link: run mediamill console, ask your operator, or request a link by email.'}
      </EmptyState>
    </>
  )
}
