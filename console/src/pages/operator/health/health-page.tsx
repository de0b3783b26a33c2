import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Health, QueueState } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { Details } from '../../../components/details.tsx'
import { formatCount, formatDuration, formatName } from '../../../components/format.ts'
import { PageHeader } from '../../../components/page-header.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { Stat } from '../../../components/stat.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { nameOfLane } from '../queue/lane-state.ts'
import { StuckLanes } from '../queue/stuck-lanes.tsx'

export function HealthPage() {
  const health = useApi<Health>('/health', { every: 5000 })
  const queue = useApi<QueueState>('/queue', { every: 5000 })
  return (
    <>
      <PageHeader
        title="Health"
        about="Readiness checks (/readyz) and early-warning metrics. All metrics are at /metrics."
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
              <Stat name="Pending events" value={formatCount(found.events_waiting)} about="not delivered yet" />
              <Stat
                name="Oldest overdue event"
                value={
                  found.events_overdue_seconds === 0 ? 'none' : formatDuration(found.events_overdue_seconds * 1000)
                }
                about="since its scheduled delivery"
              />
              <Stat name="Version" value={found.version} about="of this API server" />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
              <Panel title="Checks">
                <Details
                  details={Object.fromEntries(
                    Object.entries(found.checks).map(([name, passes]) => [
                      formatName(name),
                      <StatusBadge key={name} status={passes ? 'ok' : 'failed'} label={passes ? 'passes' : 'fails'} />,
                    ]),
                  )}
                />
              </Panel>
              <Panel title="Oldest waiting request">
                <Details
                  details={Object.fromEntries(
                    Object.entries(found.oldest_seconds).map(([lane, seconds]) => [
                      nameOfLane(lane),
                      seconds === 0 ? 'none' : formatDuration(seconds * 1000),
                    ]),
                  )}
                />
              </Panel>
              <Panel title="Engine sandbox" about={`Setting ISOLATION: ${found.isolation.setting}`}>
                <Group gap="xs">
                  {found.isolation.found.map((layer) => (
                    <StatusBadge
                      key={layer}
                      status={layer === 'unknown' || layer === 'none' ? 'queued' : 'ok'}
                      label={layer}
                    />
                  ))}
                  {found.isolation.found.length === 0 && (
                    <Text size="sm" c="dimmed">
                      No worker has reported its sandbox yet.
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
