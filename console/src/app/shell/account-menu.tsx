import { Button, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconLogout, IconSettings } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { Session } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { formatMoney } from '../../components/format.ts'
import { shared } from '../../text.ts'
import { queryClient } from '../query-client.ts'
import { setSession } from '../set-session.ts'

export function AccountMenu({ session }: { session: Session }) {
  const navigate = useNavigate()
  const signOut = useChange({
    onDone() {
      setSession(queryClient, null)
      void navigate({ to: '/', search: {} })
    },
  })
  const name = session.account?.name ?? shared.operator
  return (
    <Menu position="bottom-end" width={230} withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden="true" />}
          miw={0}
          maw={{ base: 128, xs: 200 }}
        >
          <Text component="span" size="sm" fw={550} truncate>
            {name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {session.account !== null && (
          <Menu.Label>
            {session.account.email}
            <br />
            {shared.availableCredit(formatMoney(session.account.available))}
          </Menu.Label>
        )}
        {session.kind === 'account' && (
          <Menu.Item leftSection={<IconSettings size={16} />} onClick={() => void navigate({ to: '/settings' })}>
            {shared.settings}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => signOut.mutate({ method: 'DELETE', path: '/session' })}
        >
          {shared.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
