import { Box, Button, Group, Paper, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconMailPlus, IconPlus, IconUsers } from '@tabler/icons-react'
import type { List, OperatedAccount } from '../../../api/objects.ts'
import { useServiceDetails } from '../../../api/queries/session.ts'
import { useApi } from '../../../api/use-api.ts'
import { useAddress } from '../../../app/use-address.ts'
import { number, wide, wideNumber } from '../../../components/columns.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { formatCount, formatMoney } from '../../../components/format.ts'
import { LateTextInput } from '../../../components/late-text-input.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import { Pager } from '../../../components/pager.tsx'
import { Read } from '../../../components/read.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TableFrame } from '../../../components/table-frame.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { When } from '../../../components/when.tsx'
import { shared } from '../../../text.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { NewAccountDialog } from './new-account-dialog.tsx'
import { text } from './text.ts'

export function AccountsPage() {
  const [{ search, after }, choose] = useAddress({ search: '', after: '' })
  const [creating, { open, close }] = useDisclosure(false)
  const [inviting, invitation] = useDisclosure(false)
  const { data: service } = useServiceDetails()
  const accounts = useApi<List<OperatedAccount>>('/accounts', { query: { search, after, limit: 50 }, keep: true })
  return (
    <>
      <PageHeader
        title={text.accounts}
        about={text.accountsAbout}
        actions={
          <>
            {service !== undefined && service.sign_up !== 'off' && (
              <Button
                variant="default"
                leftSection={<IconMailPlus size={16} aria-hidden="true" />}
                onClick={invitation.open}
              >
                {text.inviteAUser}
              </Button>
            )}
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={open}>
              {text.newAccount}
            </Button>
          </>
        }
      />
      <LateTextInput
        label={text.search}
        placeholder={text.searchPlaceholder}
        value={search}
        onLate={(typed) => choose({ search: typed, after: '' }, { typed: true })}
        mb="md"
        maw={380}
      />
      <Paper style={{ overflow: 'hidden' }}>
        <Read of={accounts}>
          {({ data, has_more }) =>
            data.length === 0 ? (
              <EmptyState icon={IconUsers} title={search === '' ? text.noAccountsYet : text.noAccountMatches(search)}>
                {search === '' ? text.noAccountsYetAbout : text.noAccountMatchesAbout}
              </EmptyState>
            ) : (
              <>
                <AccountTable accounts={data} />
                <Pager
                  page={{ data, has_more }}
                  after={after === '' ? undefined : Number(after)}
                  onTurn={(id) => choose({ after: String(id ?? '') })}
                />
              </>
            )
          }
        </Read>
      </Paper>
      <NewAccountDialog opened={creating} onClose={close} />
      <InviteDialog opened={inviting} onClose={invitation.close} />
    </>
  )
}

function AccountTable({ accounts }: { accounts: OperatedAccount[] }) {
  return (
    <TableFrame
      label={text.accounts}
      columns={[
        shared.account,
        wide(text.state),
        number(text.available),
        wideNumber(shared.held),
        wideNumber(text.openRequests),
        wide(shared.created),
      ]}
    >
      {accounts.map((account) => (
        <Table.Tr key={account.id}>
          <Table.Td>
            <TextLink
              to="/operator/accounts/$id"
              params={{ id: String(account.id) }}
              fw={600}
              size="sm"
              style={{ overflowWrap: 'anywhere' }}
            >
              <bdi>{account.name}</bdi>
            </TextLink>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {account.id} · {account.email}
            </Text>
            {account.suspended && (
              <Box hiddenFrom="sm" mt={4}>
                <StatusBadge status="suspended" />
              </Box>
            )}
          </Table.Td>
          <Table.Td visibleFrom="sm">
            <Group gap={6}>
              <StatusBadge status={account.suspended ? 'suspended' : 'active'} />
              <StatusBadge status="tier" label={account.tier} />
            </Group>
          </Table.Td>
          <Table.Td ta="right">{formatMoney(account.available)}</Table.Td>
          <Table.Td ta="right" visibleFrom="sm">
            {formatMoney(account.held)}
          </Table.Td>
          <Table.Td ta="right" visibleFrom="sm">
            {formatCount(account.open_requests)}
          </Table.Td>
          <Table.Td visibleFrom="sm">
            <When at={account.created_at} />
          </Table.Td>
        </Table.Tr>
      ))}
    </TableFrame>
  )
}
