import { Stack } from '@mantine/core'
import { LedgerTable } from '../../../components/ledger-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { RevenuePanel } from './revenue-panel.tsx'
import { text } from './text.ts'
import { VerifyPanel } from './verify-panel.tsx'

export function BillingPage() {
  return (
    <>
      <PageHeader title={text.billing} about={text.billingAbout} />
      <Stack gap="md">
        <RevenuePanel />
        <VerifyPanel />
        <LedgerTable />
      </Stack>
    </>
  )
}
