import { Text } from '@mantine/core'
import { IconMoodSmile } from '@tabler/icons-react'
import type { Overview } from '../../api/objects.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { formatCount } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { TextLink } from '../../components/text-link.tsx'
import classes from './failures-panel.module.css'
import { text } from './text.ts'

/** The service counts only this many failures, the newest. */
const MAX_COUNTED = 1000

export function FailuresPanel({ failures }: Pick<Overview, 'failures'>) {
  const maxRequests = Math.max(1, ...failures.map(({ requests }) => requests))
  const counted = failures.reduce((sum, { requests }) => sum + requests, 0)
  return (
    <Panel
      title={text.failuresByCode}
      about={counted < MAX_COUNTED ? text.failuresByCodeAbout : text.newestFailuresAbout(formatCount(MAX_COUNTED))}
      actions={
        failures.length > 0 && (
          <TextLink to="/requests" search={{ status: 'failed' }} size="sm">
            {text.viewFailedRequests}
          </TextLink>
        )
      }
    >
      {failures.length === 0 && (
        <EmptyState icon={IconMoodSmile} title={text.noFailures}>
          {text.noFailuresAbout}
        </EmptyState>
      )}
      <ul className={classes['list']}>
        {failures.map(({ code, requests }) => (
          <li key={code}>
            <Text component="span" size="sm">
              {code}
            </Text>
            <Text component="span" size="sm" fw={600}>
              {formatCount(requests)}
            </Text>
            <span
              className={classes['bar']}
              style={{ width: `${String((100 * requests) / maxRequests)}%` }}
              aria-hidden="true"
            />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
