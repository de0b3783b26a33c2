import { Stack } from '@mantine/core'
import { AuditTable } from '../../components/audit-table.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { AccountPanel } from './account-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'

/** The account, who is signed in where, and what was changed. */
export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <Stack gap="md">
        <AccountPanel />
        <SessionsPanel />
        <AuditTable />
      </Stack>
    </>
  )
}
