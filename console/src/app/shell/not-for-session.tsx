import { IconLock } from '@tabler/icons-react'
import type { SessionKind } from '../../api/objects.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { shared } from '../../text.ts'

const OF_OWNERS = /^\/(?:keys|webhooks|settings)\/?$/
const OF_OPERATORS = /^\/operator\//

/** Returns whether a session may open a page. The service would reject the calls of other pages. */
export function canOpen(kind: SessionKind, path: string): boolean {
  if (OF_OPERATORS.test(path)) return kind === 'operator'
  return kind !== 'key' || !OF_OWNERS.test(path)
}

export function NotForSession({ path }: { path: string }) {
  const isOfOperators = OF_OPERATORS.test(path)
  return (
    <>
      <PageHeader title={shared.youDontHaveAccess} />
      <EmptyState
        icon={IconLock}
        title={isOfOperators ? shared.operatorsOnly : shared.signInLinkRequired}
        action={
          <LinkButton to="/" mt="sm">
            {shared.goToTheOverview}
          </LinkButton>
        }
      >
        {isOfOperators ? shared.operatorsOnlyHelp : shared.signInLinkHelp}
      </EmptyState>
    </>
  )
}
