import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Health, QueueState } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { Facts } from '../../../components/facts.tsx'
import { formatCount, formatDuration, formatName } from '../../../components/format.ts'
import { PageHeader } from '../../../components/page-header.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { Stat } from '../../../components/stat.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { StuckLanes } from '../queue/stuck-lanes.tsx'

/** Whether the service is well, and which walls stand around its engines. */
export function HealthPage() {
  const health = useApi<Health>('/health', { every: 5000 })
  const queue = useApi<QueueState>('/queue', { every: 5000 })
  return (
    <>
      <PageHeader
        title="Health"
        about="What /readyz says, and the figures that tell of trouble first. More is at /metrics."
        beside={
          health.data !== undefined && (
            <StatusBadge
              status={health.data.ready ? 'ok' : 'failed'}
              label={health.data.ready ? 'ready' : 'not ready'}
            />
          )
        }
      />
      <Read of={health}>
        {(found) => (
          <Stack gap="md">
            {queue.data !== undefined && <StuckLanes lanes={queue.data.lanes} />}
            <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
              <Stat name="Workers" value={formatCount(found.workers_alive)} about="alive" />
              <Stat name="Events waiting" value={formatCount(found.events_waiting)} about="to be delivered" />
              <Stat
                name="Oldest event"
                value={found.events_overdue_seconds === 0 ? '–' : formatDuration(found.events_overdue_seconds * 1000)}
                about="overdue"
              />
              <Stat name="Version" value={found.version} about="of the service" />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
              <Panel title="Checks">
                <Facts
                  facts={Object.fromEntries(
                    Object.entries(found.checks).map(([name, passes]) => [
                      formatName(name),
                      <StatusBadge key={name} status={passes ? 'ok' : 'failed'} label={passes ? 'passes' : 'fails'} />,
                    ]),
                  )}
                />
              </Panel>
              <Panel title="Oldest waiting request">
                <Facts
                  facts={Object.fromEntries(
                    Object.entries(found.oldest_seconds).map(([lane, seconds]) => [
                      formatName(lane),
                      seconds === 0 ? '–' : formatDuration(seconds * 1000),
                    ]),
                  )}
                />
              </Panel>
              <Panel title="Walls around the engines" about={`Asked for: ${found.isolation.setting}`}>
                <Group gap="xs">
                  {found.isolation.found.map((wall) => (
                    <StatusBadge
                      key={wall}
                      status={wall === 'unknown' || wall === 'none' ? 'queued' : 'ok'}
                      label={wall}
                    />
                  ))}
                  {found.isolation.found.length === 0 && (
                    <Text size="sm" c="dimmed">
                      No worker has told of any yet.
                    </Text>
                  )}
                </Group>
              </Panel>
            </SimpleGrid>
          </Stack>
        )}
      </Read>
    </>
  )
}
