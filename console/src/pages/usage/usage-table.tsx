import { Table, Text } from '@mantine/core'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { number, wideNumber } from '../../components/columns.ts'
import { formatCount, formatDay, formatName } from '../../components/format.ts'
import { Price } from '../../components/price.tsx'
import { TableFrame } from '../../components/table-frame.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'
import type { UsageRow } from './usage-row.ts'

export function UsageTable({ group, rows }: { group: string; rows: UsageRow[] }) {
  return (
    <TableFrame
      label={text.usage}
      columns={[
        formatName(group),
        number(shared.requests),
        number(text.spent),
        ...[text.succeeded, text.failed, text.sourceData, text.resultData].map(wideNumber),
      ]}
      foot={<Row row={totalOf(rows)} title={text.total} isTotal />}
    >
      {rows.map((row) => (
        <Row key={row.key} row={row} title={group === 'day' ? formatDay(row.key) : row.key} />
      ))}
    </TableFrame>
  )
}

/** A row of the table. In a narrow window, its first cell contains the values of the hidden columns. */
function Row({ row, title, isTotal = false }: { row: Omit<UsageRow, 'key'>; title: string; isTotal?: boolean }) {
  const values = [
    [text.succeeded, formatCount(row.succeeded)],
    [text.failed, formatCount(row.failed)],
    [text.sourceData, formatBytes(row.source_bytes)],
    [text.resultData, formatBytes(row.result_bytes)],
  ] as const
  return (
    <Table.Tr fw={isTotal ? 600 : undefined}>
      <Table.Td fw={550} style={{ overflowWrap: 'anywhere' }}>
        {title}
        {values.map(([name, value]) => (
          <Text key={name} size="xs" c="dimmed" hiddenFrom="sm">
            {name}: {value}
          </Text>
        ))}
      </Table.Td>
      <Table.Td ta="right">{formatCount(row.requests)}</Table.Td>
      <Table.Td ta="right">
        <Price money={{ micro_usd: row.spent_micro_usd }} />
      </Table.Td>
      {values.map(([name, value]) => (
        <Table.Td key={name} ta="right" visibleFrom="sm">
          {value}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

function totalOf(rows: UsageRow[]) {
  const sum = (field: keyof Omit<UsageRow, 'key'>) => rows.reduce((total, row) => total + row[field], 0)
  return {
    requests: sum('requests'),
    spent_micro_usd: sum('spent_micro_usd'),
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    source_bytes: sum('source_bytes'),
    result_bytes: sum('result_bytes'),
  }
}
