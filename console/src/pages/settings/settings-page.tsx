import { Stack } from '@mantine/core'
import { useSession } from '../../api/queries/session.ts'
import { viewedAccount } from '../../api/viewed-account.ts'
import { AuditTable } from '../../components/audit-table.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AccountPanel } from './account-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'
import { text } from './text.ts'

/** The settings of an account. For an operator who views no account and has no own account, shows only the sessions. */
export function SettingsPage() {
  const session = useSession()
  // An operator could read the changes of all accounts, but this page shows one account.
  const account = session.kind === 'operator' ? (viewedAccount() ?? session.account?.id) : undefined
  const hasAccount = session.kind !== 'operator' || account !== undefined
  return (
    <>
      <PageHeader title={text.settings} />
      <Stack gap="md">
        {hasAccount && <AccountPanel />}
        <SessionsPanel />
        {hasAccount && <AuditTable {...(account === undefined ? {} : { account })} />}
      </Stack>
    </>
  )
}
