import { Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { MediaRequest } from '../../api/objects.ts'
import { formatName } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { shared } from '../../text.ts'
import classes from './operations-panel.module.css'
import { text } from './text.ts'

type Operation = { type: string } & Record<string, unknown>

export function OperationsPanel({ request }: { request: MediaRequest }) {
  const operations = (request.input['operations'] ?? []) as Operation[]
  if (operations.length === 0) return null
  const blamed = request.status === 'failed' ? request.error.operation : undefined
  return (
    <Panel title={shared.operations}>
      <ol className={classes['list']}>
        {operations.map(({ type, ...parameters }, index) => (
          <li key={`${type}-${String(index)}`} data-blamed={index === blamed || undefined}>
            <Text size="sm" fw={600}>
              {index === blamed && (
                <IconAlertTriangle size={15} aria-label={text.failedHere} className={classes['sign']} />
              )}
              {formatName(type)}
            </Text>
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {Object.entries(parameters)
                .map(([name, value]) => `${name} ${String(value)}`)
                .join(' · ') || text.noParameters}
            </Text>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
