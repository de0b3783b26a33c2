import { Table } from '@mantine/core'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { number } from '../../components/columns.ts'
import { formatCount, formatDollars, formatName } from '../../components/format.ts'
import { TableFrame } from '../../components/table-frame.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'
import type { UsageRow } from './usage-row.ts'

const NUMBERS = [shared.requests, text.spent, text.succeeded, text.failed, text.sourceData, text.resultData]

export function UsageTable({ group, rows }: { group: string; rows: UsageRow[] }) {
  const sum = (field: keyof Omit<UsageRow, 'key' | 'spent'>) => rows.reduce((total, row) => total + row[field], 0)
  return (
    <TableFrame
      label={text.usage}
      minWidth={620}
      columns={[formatName(group), ...NUMBERS.map(number)]}
      foot={
        <Table.Tr>
          <Table.Th>{text.total}</Table.Th>
          <Table.Th ta="right">{formatCount(sum('requests'))}</Table.Th>
          <Table.Th ta="right">{formatDollars(sum('spent_micro_usd'))}</Table.Th>
          <Table.Th ta="right">{formatCount(sum('succeeded'))}</Table.Th>
          <Table.Th ta="right">{formatCount(sum('failed'))}</Table.Th>
          <Table.Th ta="right">{formatBytes(sum('source_bytes'))}</Table.Th>
          <Table.Th ta="right">{formatBytes(sum('result_bytes'))}</Table.Th>
        </Table.Tr>
      }
    >
      {rows.map((row) => (
        <Table.Tr key={row.key}>
          <Table.Td fw={550} style={{ overflowWrap: 'anywhere' }}>
            {row.key}
          </Table.Td>
          <Table.Td ta="right">{formatCount(row.requests)}</Table.Td>
          <Table.Td ta="right">{formatDollars(row.spent_micro_usd)}</Table.Td>
          <Table.Td ta="right">{formatCount(row.succeeded)}</Table.Td>
          <Table.Td ta="right">{formatCount(row.failed)}</Table.Td>
          <Table.Td ta="right">{formatBytes(row.source_bytes)}</Table.Td>
          <Table.Td ta="right">{formatBytes(row.result_bytes)}</Table.Td>
        </Table.Tr>
      ))}
    </TableFrame>
  )
}
