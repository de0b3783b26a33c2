import { Stack } from '@mantine/core'
import { useSession } from '../../api/queries/session.ts'
import { viewedAccount } from '../../api/viewed-account.ts'
import { AuditTable } from '../../components/audit-table.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AccountPanel } from './account-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'

/** The account, its sessions, and its changes. */
export function SettingsPage() {
  const session = useSession()
  // An operator may read the changes of every account. This page is about one.
  const account = session.kind === 'operator' ? (viewedAccount() ?? session.account?.id) : undefined
  return (
    <>
      <PageHeader title="Settings" />
      <Stack gap="md">
        <AccountPanel />
        <SessionsPanel />
        <AuditTable {...(account === undefined ? {} : { account })} />
      </Stack>
    </>
  )
}
