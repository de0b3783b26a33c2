import { Alert, Anchor, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { IconAlertTriangle, IconHistory, IconPhotoSpark } from '@tabler/icons-react'
import { CallError } from '../../../api/call-error.ts'
import { localUrl } from '../../../api/local-url.ts'
import type { MediaRequest } from '../../../api/objects.ts'
import classes from '../../../components/before-after.module.css'
import { EmptyState } from '../../../components/empty-state.tsx'
import { formatDuration } from '../../../components/format.ts'
import { Problem } from '../../../components/problem.tsx'
import { RequestProgress } from '../../../components/request-progress.tsx'
import { ResultDetails } from '../../../components/result-details.tsx'
import { ResultView } from '../../../components/result-view.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { shared } from '../../../text.ts'
import { text } from '../text.ts'
import type { useRun } from './use-run.ts'

export function Outcome({ run }: { run: ReturnType<typeof useRun> }) {
  const { request, error, isRunning, isCurrent, previewUrl } = run
  if (error !== null && !isRunning) {
    const atFields = error instanceof CallError && error.problems.length > 0
    return (
      <>
        {!isCurrent && <Earlier>{text.changedAfterError}</Earlier>}
        <Problem error={error} />
        {atFields && isCurrent && (
          <Text size="sm" c="dimmed">
            {text.eachInvalidFieldShowsItsError}
          </Text>
        )}
      </>
    )
  }
  if (isRunning) {
    if (request === undefined) return <div className={classes['box']} aria-busy="true" />
    return <RequestProgress request={request} abort={run.abort} />
  }
  if (request === undefined) {
    return (
      <EmptyState icon={IconPhotoSpark} title={text.pressRun}>
        {text.pressRunAbout}
      </EmptyState>
    )
  }
  const files = request.status === 'succeeded' ? request.result.files : []
  const file = files.length === 1 ? files[0] : undefined
  return (
    <Stack gap="sm">
      {!isCurrent && <Earlier>{text.changedAfterResult}</Earlier>}
      <Group gap="sm" role="status">
        <StatusBadge status={request.status} />
        <TextLink to="/requests/$id" params={{ id: String(request.id) }} size="sm" underline="always">
          {text.requestNumber(request.id)}
        </TextLink>
        {'timings' in request && request.timings !== undefined && (
          <Text size="sm" c="dimmed">
            {formatDuration(request.timings.total_ms)}
          </Text>
        )}
        {file !== undefined && (
          <Anchor size="sm" href={localUrl(file.url)} underline="always">
            {shared.download(file.format, file.size === null ? '' : formatBytes(file.size))}
          </Anchor>
        )}
      </Group>
      {request.status === 'failed' && (
        <Alert
          color="red"
          icon={<IconAlertTriangle size={18} aria-hidden="true" />}
          title={<Code>{request.error.code}</Code>}
        >
          {request.error.message}
        </Alert>
      )}
      {file !== undefined && (
        <div style={isCurrent ? {} : { opacity: 0.4 }}>
          <ResultView
            url={localUrl(file.url)}
            format={file.format}
            before={request.endpoint === 'images/process' ? previewUrl : undefined}
          />
        </div>
      )}
      {files.length > 1 && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" style={isCurrent ? {} : { opacity: 0.4 }}>
          {files.map((one) => (
            <ResultFile key={one.url} file={one} />
          ))}
        </SimpleGrid>
      )}
      {request.status === 'succeeded' && files.length < 2 && <ResultDetails data={request.result.data} />}
    </Stack>
  )
}

type File = Extract<MediaRequest, { status: 'succeeded' }>['result']['files'][number]

function ResultFile({ file: { name = '0', url, format, size, width, height } }: { file: File }) {
  return (
    <figure style={{ margin: 0 }}>
      <ResultView url={localUrl(url)} format={format} before={undefined} />
      <Text component="figcaption" size="sm" mt={4}>
        <b>{name}</b>{' '}
        <Text span size="sm" c="dimmed">
          {width} × {height}
        </Text>{' '}
        <Anchor size="sm" href={localUrl(url)} underline="always">
          {shared.download(format, size === null ? '' : formatBytes(size))}
        </Anchor>
      </Text>
    </figure>
  )
}

function Earlier({ children }: { children: string }) {
  return (
    <Alert color="yellow" icon={<IconHistory size={18} aria-hidden="true" />} role="status" py="xs">
      {children}
    </Alert>
  )
}
