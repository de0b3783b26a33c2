import { Button, Progress, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import type { MediaRequest } from '../api/objects.ts'
import { shared } from '../text.ts'
import classes from './before-after.module.css'
import { formatDuration } from './format.ts'

type Props = { request: MediaRequest; abort?: { isPending: boolean; run: () => void } }

export function RequestProgress({ request, abort }: Props) {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true })
  const percent = request.status === 'processing' ? request.progress : undefined
  const elapsed = formatDuration(Math.max(0, Math.floor((now - Date.parse(request.created_at)) / 1000)) * 1000)
  return (
    <Stack className={classes['box']} align="center" justify="center" gap="sm" role="status">
      <Text fw={600}>{request.status === 'queued' ? shared.waitingForAWorker : shared.processing}</Text>
      <Progress
        value={percent ?? 100}
        animated={percent === undefined}
        striped={percent === undefined}
        w="min(100%, 320px)"
        aria-label={shared.progressOfTheRequest}
      />
      <Text size="sm" c="dimmed">
        {percent === undefined ? '' : `${String(percent)} %, `}
        {shared.elapsed(elapsed)}
      </Text>
      {abort !== undefined && (
        <Button variant="default" size="compact-sm" loading={abort.isPending} onClick={abort.run}>
          {shared.abort}
        </Button>
      )}
    </Stack>
  )
}
