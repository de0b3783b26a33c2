import { Code, Table, Text } from '@mantine/core'
import type { Key } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { unseen, wide } from '../../components/columns.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { formatDay } from '../../components/format.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TableFrame } from '../../components/table-frame.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { describeRestrictions } from './restrictions.ts'
import { text } from './text.ts'

export function KeyTable({ keys }: { keys: Key[] }) {
  const sorted = keys.toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null) || b.id - a.id)
  return (
    <TableFrame
      label={text.apiKeys}
      columns={[text.key, shared.mode, wide(shared.created), wide(text.lastUsed), unseen(shared.actions)]}
    >
      {sorted.map((key) => (
        <KeyRow key={key.id} apiKey={key} />
      ))}
    </TableFrame>
  )
}

function KeyRow({ apiKey }: { apiKey: Key }) {
  const { id, name, prefix, last_four, livemode, created_at, last_used_on, revoked_at } = apiKey
  const revoke = useChange({
    stale: ['/keys', '/audit'],
    done: text.revokedTheKey(name === '' ? `…${last_four}` : `“${name}”`),
  })
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600} miw={120} style={{ overflowWrap: 'anywhere' }}>
          {name === '' ? text.unnamed : name}
        </Text>
        <Code>
          {prefix}…{last_four}
        </Code>
        {describeRestrictions(apiKey).map((line) => (
          <Text key={line} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {line}
          </Text>
        ))}
      </Table.Td>
      <Table.Td>
        <StatusBadge status={livemode ? 'live' : 'test'} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <When at={created_at} />
      </Table.Td>
      <Table.Td visibleFrom="sm">{last_used_on === null ? text.never : formatDay(last_used_on)}</Table.Td>
      <Table.Td ta="right">
        {revoked_at !== null ? (
          <Text size="sm" c="dimmed">
            {text.revoked} <When at={revoked_at} />
          </Text>
        ) : (
          <ConfirmButton
            label={text.revoke}
            size="compact-sm"
            question={name === '' ? text.revokeUnnamedQuestion(last_four) : text.revokeNamedQuestion(name, last_four)}
            confirm={text.revokeKey}
            onConfirm={() => revoke.mutate({ method: 'DELETE', path: `/keys/${String(id)}` })}
          >
            {text.revokeAbout}
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
