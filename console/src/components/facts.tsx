import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Names and their values, one below the other. Values that are undefined are left out. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className={classes['facts']}>
      {Object.entries(facts)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
