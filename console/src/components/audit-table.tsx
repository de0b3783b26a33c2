import { Table, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import type { AuditRow, List } from '../api/objects.ts'
import { useApi } from '../api/use-api.ts'
import { useAddress } from '../app/use-address.ts'
import { shared } from '../text.ts'
import { browserOf } from './browser-of.ts'
import { wide } from './columns.ts'
import { EmptyState } from './empty-state.tsx'
import { formatName } from './format.ts'
import { Pager } from './pager.tsx'
import { Panel } from './panel.tsx'
import { Read } from './read.tsx'
import { TableFrame } from './table-frame.tsx'
import { textOf } from './text-of.ts'
import { When } from './when.tsx'

export function AuditTable({ account }: { account?: number }) {
  const [{ changes_after: after }, turn] = useAddress({ changes_after: '' })
  const rows = useApi<List<AuditRow>>('/audit', { query: { limit: 25, after, account }, keep: true })
  return (
    <Panel title={shared.changes} about={shared.changesAbout} flush>
      <Read of={rows}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <EmptyState icon={IconHistory} title={shared.noChangesYet} />
          ) : (
            <>
              <TableFrame label={shared.changes} columns={[shared.change, wide(shared.changedBy), shared.when]}>
                {data.map((row) => (
                  <Table.Tr key={row.id}>
                    <Table.Td>
                      <Text size="sm" fw={550}>
                        {nameOf(row.action)}
                        {row.subject !== null && (
                          <Text component="span" size="sm" c="dimmed" fw={400} style={{ overflowWrap: 'anywhere' }}>
                            {' '}
                            {row.subject}
                          </Text>
                        )}
                      </Text>
                      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                        {detailOf(row)}
                      </Text>
                    </Table.Td>
                    <Table.Td visibleFrom="sm">
                      <Text size="sm">{formatName(row.actor)}</Text>
                      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                        {[row.name, row.client].filter((part) => part !== null).join(' · ')}
                      </Text>
                    </Table.Td>
                    <Table.Td>
                      <When at={row.at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </TableFrame>
              <Pager
                page={{ data, has_more }}
                after={after === '' ? undefined : Number(after)}
                onTurn={(id) => turn({ changes_after: String(id ?? '') })}
              />
            </>
          )
        }
      </Read>
    </Panel>
  )
}

/** Names of actions that differ from the words in the action. */
const NAMES: Record<string, string> = {
  'account.opened': shared.accountOpened,
  'api.called': shared.apiCalled,
  'credit.bought_before': shared.creditBoughtBefore,
  'invitation.made': shared.invitationCreated,
  'sign_in_link.made': shared.signInLinkCreated,
  'sign_in.failed': shared.signInFailed,
  'webhook.set': shared.webhookUrlChanged,
}

const nameOf = (action: string) => NAMES[action] ?? formatName(action.replaceAll('.', ' '))

function detailOf({ detail, account }: AuditRow): string {
  const parts = Object.entries(detail).flatMap(([name, value]) => {
    const text = shown(name, value)
    return text === '' ? [] : [`${formatName(name)}: ${text}`]
  })
  return [...(account === null ? [] : [shared.accountNumber(account)]), ...parts].join(' · ')
}

function shown(name: string, value: unknown): string {
  return name === 'user_agent' ? browserOf(textOf(value)) : textOf(value)
}
