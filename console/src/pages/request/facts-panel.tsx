import { Anchor, Code } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { Facts } from '../../components/facts.tsx'
import { formatBytes, formatMoney, formatName, formatTime } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { textOf } from '../../components/text-of.ts'

/** What is known of a request: its result's facts, its source, its times, its price. */
export function FactsPanel({ request }: { request: MediaRequest }) {
  const data = request.status === 'succeeded' ? request.result.data : {}
  return (
    <>
      {request.status === 'succeeded' && (
        <Panel title="Facts of the result">
          <Facts
            facts={Object.fromEntries(
              Object.entries(data).map(([name, value]) => [formatName(name), show(name, value)]),
            )}
          />
        </Panel>
      )}
      <Panel title="Details">
        <Facts
          facts={{
            Source: <Source source={request.source} />,
            Customer: request.customer,
            Price: 'price' in request ? formatMoney(request.price) : undefined,
            Accepted: formatTime(request.created_at),
            Finished: 'completed_at' in request ? formatTime(request.completed_at) : undefined,
            'Files deleted':
              request.status === 'succeeded' && request.result.deleted_at !== undefined
                ? formatTime(request.result.deleted_at)
                : undefined,
          }}
        />
      </Panel>
      {request.metadata !== undefined && Object.keys(request.metadata).length > 0 && (
        <Panel title="Metadata">
          <Facts facts={request.metadata} />
        </Panel>
      )}
    </>
  )
}

/** An address elsewhere is opened by a click alone: its host would otherwise learn who looks. */
function Source({ source }: { source: string }) {
  if (!source.startsWith('http')) return <Code>{source.slice(0, 18)}…</Code>
  return (
    <Anchor href={source} target="_blank" rel="noreferrer" size="sm" underline="always">
      {new URL(source).host}
    </Anchor>
  )
}

function show(name: string, value: unknown): string {
  if (value === null) return 'none'
  if (name === 'size' && typeof value === 'number') return formatBytes(value)
  if (typeof value === 'object') return Object.values(value as object).join(' × ')
  return textOf(value)
}
