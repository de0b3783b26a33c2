import { Text } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { formatDuration } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { text } from './text.ts'
import classes from './timeline.module.css'

const STAGES = [
  ['queued_ms', text.queued, 'wait'],
  ['download_ms', text.download, 'busy'],
  ['process_ms', text.process, 'good'],
  ['store_ms', text.store, 'quiet'],
] as const

export function Timeline({ request }: { request: MediaRequest }) {
  const timings = 'timings' in request ? request.timings : undefined
  if (timings === undefined) return null
  const total = Math.max(1, timings.total_ms)
  return (
    <Panel
      title={text.timeline}
      actions={
        <Text size="sm" fw={600}>
          {formatDuration(timings.total_ms)}
        </Text>
      }
    >
      <div className={classes['bar']} aria-hidden="true">
        {STAGES.map(([field, , tone]) => (
          <span key={field} data-tone={tone} style={{ flexGrow: timings[field] / total }} />
        ))}
      </div>
      <dl className={classes['stages']}>
        {STAGES.map(([field, name, tone]) => (
          <div key={field}>
            <dt>
              <span className={classes['dot']} data-tone={tone} aria-hidden="true" />
              {name}
            </dt>
            <dd>{formatDuration(timings[field])}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
