import { Anchor, Button, Group, Tabs, Text } from '@mantine/core'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { IconDownload } from '@tabler/icons-react'
import { apiUrl } from '../../api/call.ts'
import { localUrl } from '../../api/local-url.ts'
import type { MediaRequest } from '../../api/objects.ts'
import { shownUrl } from '../../api/shown-url.ts'
import { hasPassed } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { RequestProgress } from '../../components/request-progress.tsx'
import { ResultView } from '../../components/result-view.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

type Succeeded = Extract<MediaRequest, { status: 'succeeded' }>
type ResultFile = Succeeded['result']['files'][number]

export function ResultPanel({ request }: { request: MediaRequest }) {
  if (request.status === 'queued' || request.status === 'processing') {
    return (
      <Panel title={shared.result}>
        <RequestProgress request={request} />
      </Panel>
    )
  }
  if (request.status !== 'succeeded' || request.result.files.length === 0) return null
  const [file, ...others] = request.result.files
  const isDeleted = request.result.deleted_at !== undefined && hasPassed(request.result.deleted_at)
  if (file === undefined) return null
  return (
    <Panel title={shared.result} actions={!isDeleted && others.length === 0 && <DownloadButton file={file} />}>
      {isDeleted ? (
        <Text size="sm" c="dimmed">
          {others.length === 0 ? text.fileDeleted : text.filesDeleted}
        </Text>
      ) : (
        <>
          {others.length === 0 ? (
            <ResultView url={localUrl(file.url)} format={file.format} before={beforeOf(request)} />
          ) : (
            <ResultFiles files={request.result.files} before={beforeOf(request)} />
          )}
          {beforeOf(request) === undefined && request.source.startsWith('http') && (
            <Group mt="xs">
              <Anchor size="sm" href={request.source} target="_blank" rel="noreferrer" underline="always">
                {text.openTheSourceAt(new URL(request.source).host)}
              </Anchor>
            </Group>
          )}
        </>
      )}
    </Panel>
  )
}

function ResultFiles({ files, before }: { files: readonly ResultFile[]; before: string | undefined }) {
  const named = files.map((file, index) => ({ ...file, name: file.name ?? String(index) }))
  return (
    <Tabs defaultValue={named[0]?.name ?? null} keepMounted={false}>
      <Tabs.List aria-label={text.filesOfTheResult}>
        {named.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {named.map((file) => (
        <Tabs.Panel key={file.name} value={file.name} pt="sm">
          <Group justify="space-between" mb="sm">
            <Text size="sm" c="dimmed">
              {file.width !== undefined && file.height !== undefined && text.pixels(file.width, file.height)}
            </Text>
            <DownloadButton file={file} />
          </Group>
          <ResultView url={localUrl(file.url)} format={file.format} before={before} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function DownloadButton({ file }: { file: ResultFile }) {
  return (
    <Button
      component="a"
      href={localUrl(file.url)}
      variant="default"
      size="compact-sm"
      leftSection={<IconDownload size={14} aria-hidden="true" />}
    >
      {shared.download(file.format, file.size === null ? '' : formatBytes(file.size))}
    </Button>
  )
}

/** Returns the URL of the source if this service stores it, because the page loads nothing from other hosts. */
function beforeOf(request: MediaRequest): string | undefined {
  if (request.endpoint !== 'images/process') return undefined
  if (request.source.startsWith('upload:')) return apiUrl(`/requests/${request.id}/source`)
  return shownUrl(request.source)
}
