import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './table-frame.module.css'

type Props = { label: string; children: ReactNode; minWidth?: number }

export function TableFrame({ label, children, minWidth = 0 }: Props) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable content must be reachable by keyboard
    <div className={classes['frame']} role="group" aria-label={label} tabIndex={0}>
      <Table className={classes['table']} miw={minWidth}>
        {children}
      </Table>
    </div>
  )
}
