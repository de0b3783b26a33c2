import type { ReactNode } from 'react'
import classes from './details.module.css'

/** The maximum number of characters on one line of the narrowest column. */
const MAX_LINE_LENGTH = 44

const isLong = (name: string, value: ReactNode) =>
  typeof value === 'string' && name.length + value.length > MAX_LINE_LENGTH

export function Details({ details }: { details: Record<string, ReactNode> }) {
  return (
    <dl className={classes['details']}>
      {Object.entries(details)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name} data-long={isLong(name, value) || undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
