import { SimpleGrid, Stack } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { PageHeader } from '../../../components/page-header.tsx'
import { Read } from '../../../components/read.tsx'
import { LaneCard } from './lane-card.tsx'
import { QueuedPanel } from './queued-panel.tsx'
import { SegmentsCard } from './segments-card.tsx'
import { WorkersPanel } from './workers-panel.tsx'

export function QueuePage() {
  const queue = useApi<QueueState>('/queue', { every: 2000 })
  return (
    <>
      <PageHeader
        title="Queue"
        about="Each lane is the queue for one kind of work. A lane is stuck if its oldest request keeps waiting and no request is running."
      />
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
              title="Retried requests"
              rows={retried}
              workers={workers}
              none="No open request was retried."
            />
            <QueuedPanel title="Running" rows={running} workers={workers} none="No request is running." />
            <QueuedPanel title="Waiting longest" rows={waiting} workers={workers} none="No request is waiting." />
          </Stack>
        )}
      </Read>
    </>
  )
}
