import { Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Column } from './columns.ts'
import classes from './table-frame.module.css'

type Props = {
  label: string
  columns: readonly (Column | false)[]
  children: ReactNode
  foot?: ReactNode
  minWidth?: number
}

export function TableFrame({ label, columns, children, foot, minWidth = 0 }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
    <div className={classes['frame']} role="group" aria-label={label} tabIndex={0}>
      <Table className={classes['table']} miw={minWidth}>
        <Table.Thead>
          <Table.Tr>{columns.map((column) => column !== false && headingOf(column))}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
        {foot !== undefined && <Table.Tfoot>{foot}</Table.Tfoot>}
      </Table>
    </div>
  )
}

function headingOf(column: Column) {
  const { title, isUnseen, ...style } = typeof column === 'string' ? { title: column } : column
  return (
    <Table.Th key={title} {...style}>
      {isUnseen === true ? <VisuallyHidden>{title}</VisuallyHidden> : title}
    </Table.Th>
  )
}
