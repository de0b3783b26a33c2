import { SimpleGrid, Stack } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { PageHeader } from '../../../components/page-header.tsx'
import { Read } from '../../../components/read.tsx'
import { LaneCard } from './lane-card.tsx'
import { QueuedPanel } from './queued-panel.tsx'
import { SegmentsCard } from './segments-card.tsx'
import { text } from './text.ts'
import { WorkersPanel } from './workers-panel.tsx'

export function QueuePage() {
  const queue = useApi<QueueState>('/queue', { every: 2000 })
  return (
    <>
      <PageHeader title={text.queue} about={text.queueAbout} />
      <Read of={queue} rows={6}>
        {({ lanes, workers, parts: segments, running, retried, waiting }) => (
          <Stack gap="md">
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
              {lanes.map((lane) => (
                <LaneCard key={lane.lane} lane={lane} />
              ))}
            </SimpleGrid>
            {segments.videos > 0 && <SegmentsCard parts={segments} />}
            <WorkersPanel workers={workers} />
            <QueuedPanel
              title={text.retriedRequests}
              rows={retried}
              workers={workers}
              none={text.noOpenRequestWasRetried}
            />
            <QueuedPanel title={text.running} rows={running} workers={workers} none={text.noRequestIsRunning} />
            <QueuedPanel title={text.waitingLongest} rows={waiting} workers={workers} none={text.noRequestIsWaiting} />
          </Stack>
        )}
      </Read>
    </>
  )
}
