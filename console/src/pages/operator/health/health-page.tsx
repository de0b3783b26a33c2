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
import { shared } from '../../../text.ts'
import { nameOfLane } from '../queue/lane-state.ts'
import { StuckLanes } from '../queue/stuck-lanes.tsx'
import { text } from './text.ts'

export function HealthPage() {
  const health = useApi<Health>('/health', { every: 5000 })
  const queue = useApi<QueueState>('/queue', { every: 5000 })
  return (
    <>
      <PageHeader
        title={text.health}
        about={text.healthAbout}
        beside={
          health.data !== undefined && (
            <StatusBadge
              status={health.data.ready ? 'ok' : 'failed'}
              label={health.data.ready ? text.ready : text.notReady}
            />
          )
        }
      />
      <Read of={health}>
        {(found) => (
          <Stack gap="md">
            {queue.data !== undefined && <StuckLanes lanes={queue.data.lanes} />}
            <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
              <Stat name={text.workers} value={formatCount(found.workers_alive)} about={text.workersAbout} />
              <Stat
                name={text.pendingEvents}
                value={formatCount(found.events_waiting)}
                about={text.pendingEventsAbout}
              />
              <Stat
                name={text.oldestOverdueEvent}
                value={
                  found.events_overdue_seconds === 0 ? shared.none : formatDuration(found.events_overdue_seconds * 1000)
                }
                about={text.oldestOverdueEventAbout}
              />
              <Stat name={text.version} value={found.version} about={text.versionAbout} />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
              <Panel title={text.checks}>
                <Details
                  details={Object.fromEntries(
                    Object.entries(found.checks).map(([name, passes]) => [
                      formatName(name),
                      <StatusBadge
                        key={name}
                        status={passes ? 'ok' : 'failed'}
                        label={passes ? text.passes : text.fails}
                      />,
                    ]),
                  )}
                />
              </Panel>
              <Panel title={text.oldestWaitingRequest}>
                <Details
                  details={Object.fromEntries(
                    Object.entries(found.oldest_seconds).map(([lane, seconds]) => [
                      nameOfLane(lane),
                      seconds === 0 ? shared.none : formatDuration(seconds * 1000),
                    ]),
                  )}
                />
              </Panel>
              <Panel title={text.engineSandbox} about={text.engineSandboxAbout(found.isolation.setting)}>
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
                      {text.noSandboxYet}
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
