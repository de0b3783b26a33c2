import { Anchor, Code } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { Details } from '../../components/details.tsx'
import { fileOf } from '../../components/file-of.ts'
import { formatMoney } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { ResultDetails } from '../../components/result-details.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function DetailsPanel({ request }: { request: MediaRequest }) {
  return (
    <>
      {request.status === 'succeeded' && (
        <Panel title={text.resultMetadata}>
          <ResultDetails data={request.result.data} />
        </Panel>
      )}
      <Panel title={text.details}>
        <Details
          details={{
            [shared.source]: <Source source={request.source} />,
            [shared.customer]: request.customer,
            [shared.price]: 'price' in request ? formatMoney(request.price) : undefined,
            [shared.accepted]: <When at={request.created_at} exact />,
            [text.finished]: 'completed_at' in request ? <When at={request.completed_at} exact /> : undefined,
            [text.deleted]:
              request.status === 'succeeded' && request.result.deleted_at !== undefined ? (
                <When at={request.result.deleted_at} exact />
              ) : undefined,
          }}
        />
      </Panel>
      {request.metadata !== undefined && Object.keys(request.metadata).length > 0 && (
        <Panel title={text.yourMetadata}>
          <Details details={request.metadata} />
        </Panel>
      )}
    </>
  )
}

/** Shows a source. A URL is only a link, because loading it would show the user's IP address to its host. */
function Source({ source }: { source: string }) {
  if (!source.startsWith('http'))
    return (
      <>
        {shared.upload} <Code>{source.slice(7, 19)}…</Code>
      </>
    )
  const { name, host } = fileOf(source)
  return (
    <Anchor href={source} target="_blank" rel="noreferrer" size="sm" underline="always">
      {name === '' ? host : text.fileAt(name, host)}
    </Anchor>
  )
}
