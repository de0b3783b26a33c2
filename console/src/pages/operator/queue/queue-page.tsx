import { SimpleGrid, Stack } from '@mantine/core'
import type { QueueState } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { formatCount, formatDuration } from '../../../components/format.ts'
import { PageHeader } from '../../../components/page-header.tsx'
import { Read } from '../../../components/read.tsx'
import { FigureCard } from './figure-card.tsx'
import type { Lane } from './lane-state.ts'
import { nameOfLane, stateOf } from './lane-state.ts'
import { QueuedPanel } from './queued-panel.tsx'
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

const BADGES = { stuck: 'failed', behind: 'queued', moving: 'ok', idle: 'ok' } as const

function LaneCard({ lane: found }: { lane: Lane }) {
  const { lane, queued, running, oldest_seconds } = found
  const state = stateOf(found)
  return (
    <FigureCard
      title={nameOfLane(lane)}
      label={text.lane(nameOfLane(lane))}
      status={BADGES[state]}
      statusLabel={text.states[state]}
      figures={[
        [text.queued, formatCount(queued)],
        [text.running, formatCount(running)],
        [text.oldest, queued === 0 ? '–' : formatDuration(oldest_seconds * 1000)],
      ]}
    />
  )
}

function SegmentsCard({ parts: segments }: Pick<QueueState, 'parts'>) {
  const { videos, workers, waiting, running, done, oldest_seconds } = segments
  const isMoving = running > 0 || waiting === 0
  return (
    <FigureCard
      title={text.splitVideos}
      label={text.splitVideos}
      status={isMoving ? 'ok' : 'queued'}
      statusLabel={isMoving ? text.moving : text.waiting}
      figures={[
        [text.videos, formatCount(videos)],
        [text.segmentsWaiting, formatCount(waiting)],
        [text.segmentsRunning, formatCount(running)],
        [text.segmentsDone, formatCount(done)],
        [text.workers, formatCount(workers)],
        [text.oldest, formatDuration(oldest_seconds * 1000)],
      ]}
    />
  )
}
