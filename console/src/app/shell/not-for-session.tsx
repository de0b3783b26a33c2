import { IconLock } from '@tabler/icons-react'
import type { SessionKind } from '../../api/objects.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'

const OF_OWNERS = /^\/(?:keys|webhooks|settings)\/?$/
const OF_OPERATORS = /^\/operator\//

/** Tells whether a session of this kind sees anything on a page: the service refuses what is on it otherwise. */
export function mayOpen(kind: SessionKind, path: string): boolean {
  if (OF_OPERATORS.test(path)) return kind === 'operator'
  return kind !== 'key' || !OF_OWNERS.test(path)
}

/** Stands for a page that who is signed in may not see, and says who may. */
export function NotForSession({ path }: { path: string }) {
  const isOfOperators = OF_OPERATORS.test(path)
  return (
    <>
      <PageHeader title="Not with this sign-in" />
      <EmptyState
        icon={IconLock}
        title={isOfOperators ? 'This page is for who runs the service' : 'An API key does not open this page'}
        action={
          <LinkButton to="/" mt="sm">
            To the overview
          </LinkButton>
        }
      >
        {isOfOperators
          ? 'They sign in by a link of mediamill console --operator.'
          : 'Keys, secrets and settings are for who signs in by a link: one that mediamill console prints, an operator makes, or a mail brings.'}
      </EmptyState>
    </>
  )
}
