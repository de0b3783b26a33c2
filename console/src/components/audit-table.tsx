import { Button, Group, Table, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useState } from 'react'
import type { AuditRow, List } from '../api/objects.ts'
import { useApi } from '../api/use-api.ts'
import { EmptyState } from './empty-state.tsx'
import { formatName } from './format.ts'
import { Panel } from './panel.tsx'
import { Read } from './read.tsx'
import { TableFrame } from './table-frame.tsx'
import { When } from './when.tsx'

/** What was changed, by whom and when. */
export function AuditTable({ account }: { account?: number }) {
  const [after, setAfter] = useState<number>()
  const rows = useApi<List<AuditRow>>('/audit', { query: { limit: 25, after, account }, keep: true })
  return (
    <Panel title="Changes" about="Every change of keys, secrets, credit, limits and sessions." flush>
      <Read of={rows}>
        {({ data, has_more }) =>
          data.length === 0 ? (
            <EmptyState icon={IconHistory} title="Nothing was changed yet" />
          ) : (
            <>
              <TableFrame label="Changes">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>What</Table.Th>
                    <Table.Th>By</Table.Th>
                    <Table.Th>When</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {data.map((row) => (
                    <Table.Tr key={row.id}>
                      <Table.Td>
                        <Text size="sm" fw={550}>
                          {formatName(row.action.replaceAll('.', ' '))}
                          {row.subject !== null && (
                            <Text component="span" size="sm" c="dimmed" fw={400}>
                              {' '}
                              {row.subject}
                            </Text>
                          )}
                        </Text>
                        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                          {detailOf(row)}
                        </Text>
                      </Table.Td>
                      <Table.Td>{row.actor}</Table.Td>
                      <Table.Td>
                        <When at={row.at} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </TableFrame>
              <Group justify="space-between" px="md" py="sm">
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={after === undefined}
                  onClick={() => setAfter(undefined)}
                >
                  Newest
                </Button>
                <Button
                  variant="default"
                  size="compact-sm"
                  disabled={!has_more}
                  onClick={() => setAfter(data.at(-1)?.id)}
                >
                  Older
                </Button>
              </Group>
            </>
          )
        }
      </Read>
    </Panel>
  )
}

function detailOf({ detail, account }: AuditRow): string {
  const parts = Object.entries(detail).map(
    ([name, value]) => `${formatName(name)}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  )
  return [...(account === null ? [] : [`Account ${String(account)}`]), ...parts].join(' · ')
}
