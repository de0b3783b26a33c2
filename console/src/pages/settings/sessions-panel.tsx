import { Button, Table, Text } from '@mantine/core'
import type { SessionRow } from '../../api/objects.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { browserOf } from '../../components/browser-of.ts'
import { unseen, wide } from '../../components/columns.ts'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TableFrame } from '../../components/table-frame.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function SessionsPanel() {
  const sessions = useApi<{ data: SessionRow[] }>('/sessions')
  const end = useChange({ stale: ['/sessions', '/audit'], done: text.signedOutTheSession })
  return (
    <Panel title={text.sessions} about={text.sessionsAbout} flush>
      <Read of={sessions}>
        {({ data }) => (
          <TableFrame
            label={text.sessions}
            columns={[text.browser, wide(text.lastUsed), wide(text.signedIn), unseen(shared.actions)]}
          >
            {data.map(({ id, user_agent, name, client, last_used_at, created_at, current }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Text size="sm" fw={550} title={user_agent}>
                    {browserOf(user_agent)}
                  </Text>
                  <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {[name, client].filter((part) => part !== null).join(' · ')}
                  </Text>
                  <Text size="xs" c="dimmed" hiddenFrom="sm">
                    {text.lastUsed} <When at={last_used_at} />
                  </Text>
                  {current && <StatusBadge status="active" label={text.thisSession} />}
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <When at={last_used_at} />
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <When at={created_at} />
                </Table.Td>
                <Table.Td ta="right">
                  {!current && (
                    <Button
                      variant="default"
                      size="compact-sm"
                      onClick={() => end.mutate({ method: 'DELETE', path: `/sessions/${String(id)}` })}
                    >
                      {shared.signOut}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </TableFrame>
        )}
      </Read>
    </Panel>
  )
}
