import { Stack } from '@mantine/core'
import { LedgerTable } from '../../../components/ledger-table.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { RevenuePanel } from './revenue-panel.tsx'
import { VerifyPanel } from './verify-panel.tsx'

export function MoneyPage() {
  return (
    <>
      <PageHeader title="Billing" about="Charges and purchases by day, and the ledger entries behind them." />
      <Stack gap="md">
        <RevenuePanel />
        <VerifyPanel />
        <LedgerTable />
      </Stack>
    </>
  )
}
