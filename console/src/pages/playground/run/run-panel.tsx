import { Button, Group, Kbd, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconPlayerPlay } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Estimate } from '../../../api/objects.ts'
import { Panel } from '../../../components/panel.tsx'
import { shared } from '../../../text.ts'
import { text } from '../text.ts'
import { EstimateLine } from './estimate-line.tsx'
import { Outcome } from './outcome.tsx'
import type { useRun } from './use-run.ts'

type Props = { run: ReturnType<typeof useRun>; estimate: UseQueryResult<Estimate>; missing: string | undefined }

export function RunPanel({ run, estimate, missing }: Props) {
  const start = () => {
    if (missing === undefined) run.run()
  }
  useHotkeys([['mod+Enter', start]], [])
  return (
    <Panel
      title={shared.result}
      actions={
        <Group gap="sm" wrap="nowrap" style={{ flexShrink: 0 }}>
          <Text size="xs" c="dimmed" visibleFrom="lg">
            <Kbd size="xs">{text.ctrl}</Kbd> + <Kbd size="xs">{text.enter}</Kbd>
          </Text>
          <Button
            loading={run.isRunning}
            leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
            disabled={missing !== undefined}
            onClick={start}
          >
            {text.run}
          </Button>
        </Group>
      }
      about={missing ?? <EstimateLine estimate={estimate} />}
    >
      <Outcome run={run} />
    </Panel>
  )
}
