import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** How many characters of a name and its text stand beside each other in the narrowest column. */
const MOST_BESIDE = 44

const isLong = (name: string, value: ReactNode) => typeof value === 'string' && name.length + value.length > MOST_BESIDE

/** Names and their values, one below the other; a long text stands below its name. Undefined values are left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className={classes['facts']}>
      {Object.entries(facts)
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
