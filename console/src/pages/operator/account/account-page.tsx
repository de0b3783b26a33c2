import { Grid, Group, SimpleGrid, Stack } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { OperatedAccount } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { AuditTable } from '../../../components/audit-table.tsx'
import { Details } from '../../../components/details.tsx'
import { formatCount, formatMoney } from '../../../components/format.ts'
import { LedgerTable } from '../../../components/ledger-table.tsx'
import { LinkButton } from '../../../components/link-button.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { Stat } from '../../../components/stat.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { When } from '../../../components/when.tsx'
import { shared } from '../../../text.ts'
import { AccessPanel } from './access-panel.tsx'
import { LimitsPanel } from './limits-panel.tsx'
import { MoneyPanel } from './money-panel.tsx'
import { text } from './text.ts'

export function AccountPage() {
  const { id } = useParams({ from: '/operator/accounts/$id' })
  const account = useApi<OperatedAccount>(`/accounts/${id}`, { every: 5000 })
  return (
    <>
      {account.data === undefined && (
        <PageHeader
          title={shared.accountNumber(id)}
          actions={account.isError ? <LinkButton to="/operator/accounts">{text.allAccounts}</LinkButton> : undefined}
        />
      )}
      <Read of={account}>{(found) => <Found account={found} />}</Read>
    </>
  )
}

function Found({ account }: { account: OperatedAccount }) {
  return (
    <>
      <PageHeader
        title={account.name}
        about={text.accountAndEmail(account.id, account.email)}
        beside={
          <Group gap={6}>
            <StatusBadge status={account.suspended ? 'suspended' : 'active'} />
            <StatusBadge status="tier" label={account.tier} />
          </Group>
        }
        actions={
          <LinkButton to="/requests" search={{ account: account.id }}>
            {text.viewRequests}
          </LinkButton>
        }
      />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
          <Stat name={text.available} value={formatMoney(account.available)} about={text.availableAbout} />
          <Stat name={text.balance} value={formatMoney(account.balance)} about={text.balanceAbout} />
          <Stat name={shared.held} value={formatMoney(account.held)} about={text.heldAbout} />
          <Stat name={text.openRequests} value={formatCount(account.open_requests)} about={text.openRequestsAbout} />
        </SimpleGrid>
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="md">
              <MoneyPanel id={account.id} name={account.name} />
              <LimitsPanel account={account} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <Stack gap="md">
              <AccessPanel account={account} />
              <Panel title={text.details}>
                <Details
                  details={{
                    [text.webhook]: account.webhook_url ?? shared.none,
                    [shared.created]: <When at={account.created_at} exact />,
                  }}
                />
              </Panel>
            </Stack>
          </Grid.Col>
        </Grid>
        <LedgerTable account={account.id} />
        <AuditTable account={account.id} />
      </Stack>
    </>
  )
}
