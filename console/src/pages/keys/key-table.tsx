import { Code, Table, Text } from '@mantine/core'
import type { Key } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { TableFrame } from '../../components/table-frame.tsx'
import { When } from '../../components/when.tsx'
import { describeRestrictions } from './restrictions.ts'

export function KeyTable({ keys }: { keys: Key[] }) {
  const sorted = keys.toSorted((a, b) => Number(a.revoked_at !== null) - Number(b.revoked_at !== null) || b.id - a.id)
  return (
    <TableFrame label="API keys">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Key</Table.Th>
          <Table.Th>Mode</Table.Th>
          <Table.Th visibleFrom="sm">Created</Table.Th>
          <Table.Th visibleFrom="sm">Last used</Table.Th>
          <Table.Th>
            <span style={{ position: 'absolute', clipPath: 'inset(50%)' }}>Actions</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sorted.map((key) => (
          <KeyRow key={key.id} apiKey={key} />
        ))}
      </Table.Tbody>
    </TableFrame>
  )
}

function KeyRow({ apiKey }: { apiKey: Key }) {
  const { id, name, prefix, last_four, livemode, created_at, last_used_on, revoked_at } = apiKey
  const revoke = useChange({
    stale: ['/keys', '/audit'],
    done: `Revoked the key ${name === '' ? `…${last_four}` : `“${name}”`}.`,
  })
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={600} miw={120} style={{ overflowWrap: 'anywhere' }}>
          {name === '' ? 'Unnamed' : name}
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
      <Table.Td visibleFrom="sm">{last_used_on ?? 'never'}</Table.Td>
      <Table.Td ta="right">
        {revoked_at !== null ? (
          <Text size="sm" c="dimmed">
            revoked <When at={revoked_at} />
          </Text>
        ) : (
          <ConfirmButton
            label="Revoke"
            size="compact-sm"
            question={name === '' ? `Revoke the key …${last_four}?` : `Revoke the key “${name}” (…${last_four})?`}
            confirm="Revoke key"
            onConfirm={() => revoke.mutate({ method: 'DELETE', path: `/keys/${String(id)}` })}
          >
            The service rejects all further calls with this key. Accepted requests continue. You cannot undo this.
          </ConfirmButton>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
