import { Anchor, Code } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { Details } from '../../components/details.tsx'
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

/** Returns the file name and the host of a source, such as `photo.jpg at media.example.com`. */
function fileNameOf(source: string): string {
  const { host, pathname } = new URL(source)
  const [name = ''] = pathname.split('/').slice(-1)
  return name === '' ? host : text.fileAt(decoded(name), host)
}

/**
 * Returns the decoded file name. Returns the name as it is if it cannot be decoded, or if it would contain control
 * characters or bidirectional controls, which could disguise the host.
 */
function decoded(name: string): string {
  try {
    const text = decodeURIComponent(name)
    return /[\p{Cc}\p{Bidi_Control}]/u.test(text) ? name : text
  } catch {
    return name
  }
}

/** Shows a source. A URL is only a link, because loading it would show the user's IP address to its host. */
function Source({ source }: { source: string }) {
  if (!source.startsWith('http'))
    return (
      <>
        {text.upload} <Code>{source.slice(7, 19)}…</Code>
      </>
    )
  return (
    <Anchor href={source} target="_blank" rel="noreferrer" size="sm" underline="always">
      {fileNameOf(source)}
    </Anchor>
  )
}
