import { Button, Group, Kbd, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlayerPlay } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { apiUrl } from '../../../api/call.ts'
import { localUrl } from '../../../api/local-url.ts'
import type { Estimate } from '../../../api/objects.ts'
import { Panel } from '../../../components/panel.tsx'
import { EstimateLine } from './estimate-line.tsx'
import { Outcome } from './outcome.tsx'
import type { useRun } from './use-run.ts'

type Props = {
  run: ReturnType<typeof useRun>
  estimate: UseQueryResult<Estimate>
  source: string
  /** The source as this browser has it. */
  picture: string | undefined
}

/** What it costs, the button that runs it, and what came out. */
export function RunPanel({ run, estimate, source, picture }: Props) {
  useHotkeys([['mod+Enter', run.run]], [])
  const { request } = run
  const before =
    picture ??
    (request !== undefined && source.startsWith('upload:') && request.source === source
      ? apiUrl(`/requests/${String(request.id)}/source`)
      : ownPicture(source))
  return (
    <Panel
      title="Result"
      actions={
        <Group gap="sm" wrap="nowrap">
          <Text size="xs" c="dimmed" visibleFrom="lg">
            <Kbd size="xs">Ctrl</Kbd> + <Kbd size="xs">Enter</Kbd>
          </Text>
          <Button
            loading={run.isRunning}
            leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
            onClick={run.run}
          >
            Run
          </Button>
        </Group>
      }
      about={<EstimateLine estimate={estimate} />}
    >
      <Outcome run={run} before={before} />
    </Panel>
  )
}

const ownPicture = (source: string) => (localUrl(source) === source ? undefined : localUrl(source))
