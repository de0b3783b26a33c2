import { Alert, Group, Text } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useSearch } from '@tanstack/react-router'
import type { Account, Session } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { shared } from '../../text.ts'

export function ViewedAccountBar({ session }: { session: Session }) {
  const { account } = useSearch({ from: '__root__' })
  const viewed = useApi<Account>(`/accounts/${account}`, {
    enabled: session.kind === 'operator' && account !== undefined,
  })
  if (session.kind !== 'operator' || account === undefined) return null
  return (
    <Alert color="mill" icon={<IconEye size={18} aria-hidden="true" />} mb="lg" py="xs">
      <Group justify="space-between">
        <Text size="sm" flex="1 1 240px" miw={0} style={{ overflowWrap: 'anywhere' }}>
          {shared.youAreViewing} <b>{viewed.data?.name ?? shared.inAccount(account)}</b> {shared.asAnOperator}
        </Text>
        <LinkButton to="/operator/accounts" search={{ account: undefined }} variant="default" size="compact-sm">
          {shared.backToAllAccounts}
        </LinkButton>
      </Group>
    </Alert>
  )
}
