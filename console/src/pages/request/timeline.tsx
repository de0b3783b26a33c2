import { Text } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { formatDuration } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { text } from './text.ts'
import classes from './timeline.module.css'

type Timings = NonNullable<Extract<MediaRequest, { timings?: unknown }>['timings']>

type Stage = { name: string; tone: string; ms: number }

const stagesOf = (timings: Timings): Stage[] => [
  { name: text.queued, tone: 'wait', ms: timings.queued_ms },
  { name: text.download, tone: 'busy', ms: timings.download_ms },
  { name: text.process, tone: 'good', ms: timings.process_ms },
  { name: text.store, tone: 'quiet', ms: timings.store_ms },
]

/** The service does not record the other stages of an aborted request. */
const stagesOfAborted = ({ queued_ms: queuedMs, total_ms: totalMs }: Timings): Stage[] => [
  { name: text.queued, tone: 'wait', ms: queuedMs },
  { name: text.untilAbort, tone: 'busy', ms: totalMs - queuedMs },
]

export function Timeline({ request }: { request: MediaRequest }) {
  const timings = 'timings' in request ? request.timings : undefined
  if (timings === undefined) return null
  const total = Math.max(1, timings.total_ms)
  const stages = request.status === 'aborted' ? stagesOfAborted(timings) : stagesOf(timings)
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
        {stages.map(({ name, tone, ms }) => (
          <span key={name} data-tone={tone} style={{ flexGrow: ms / total }} />
        ))}
      </div>
      <dl className={classes['stages']}>
        {stages.map(({ name, tone, ms }) => (
          <div key={name}>
            <dt>
              <span className={classes['dot']} data-tone={tone} aria-hidden="true" />
              {name}
            </dt>
            <dd>{formatDuration(ms)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
