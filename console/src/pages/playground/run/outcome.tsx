import { Alert, Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconPhotoSpark } from '@tabler/icons-react'
import { CallError } from '../../../api/call-error.ts'
import { localUrl } from '../../../api/local-url.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { Facts } from '../../../components/facts.tsx'
import { formatBytes, formatDuration, formatName } from '../../../components/format.ts'
import { Loading } from '../../../components/loading.tsx'
import { Problem } from '../../../components/problem.tsx'
import { ResultView } from '../../../components/result-view.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TextLink } from '../../../components/text-link.tsx'
import { textOf } from '../../../components/text-of.ts'
import type { useRun } from './use-run.ts'

/** What became of the last run. */
export function Outcome({ run, before }: { run: ReturnType<typeof useRun>; before: string | undefined }) {
  const { request, error, isRunning } = run
  if (error !== null && !isRunning) {
    const atFields = error instanceof CallError && error.problems.length > 0
    return (
      <>
        <Problem error={error} />
        {atFields && (
          <Text size="sm" c="dimmed">
            Each problem stands at its field.
          </Text>
        )}
      </>
    )
  }
  if (isRunning || request === undefined) {
    if (isRunning) return <Loading rows={1} height={280} />
    return (
      <EmptyState icon={IconPhotoSpark} title="Press Run to see what comes out">
        The request appears on the page Requests too, like one of your program.
      </EmptyState>
    )
  }
  const file = request.status === 'succeeded' ? request.result.files[0] : undefined
  return (
    <Stack gap="sm">
      <Group gap="sm" role="status">
        <StatusBadge status={request.status} />
        <TextLink to="/requests/$id" params={{ id: String(request.id) }} size="sm" underline="always">
          Request {request.id}
        </TextLink>
        {'timings' in request && request.timings !== undefined && (
          <Text size="sm" c="dimmed">
            {formatDuration(request.timings.total_ms)}
          </Text>
        )}
        {file !== undefined && (
          <Anchor size="sm" href={localUrl(file.url)} underline="always">
            Download {file.format}
            {file.size !== null && `, ${formatBytes(file.size)}`}
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
        <ResultView
          url={localUrl(file.url)}
          format={file.format}
          before={request.endpoint === 'images/process' ? before : undefined}
        />
      )}
      {request.status === 'succeeded' && (
        <Facts
          facts={Object.fromEntries(
            Object.entries(request.result.data).map(([name, value]) => [
              formatName(name),
              name === 'size' ? formatBytes(Number(value)) : textOf(value),
            ]),
          )}
        />
      )}
    </Stack>
  )
}
