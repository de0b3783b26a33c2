import { Button, Code, Group, Stack, Table, Text } from '@mantine/core'
import type { EventRow, EventWhole } from '../api/objects.ts'
import { useApi, useChange } from '../api/use-api.ts'
import { shared } from '../text.ts'
import { number } from './columns.ts'
import { formatDuration } from './format.ts'
import { StatusBadge } from './status-badge.tsx'
import { TableFrame } from './table-frame.tsx'
import { When } from './when.tsx'

export function EventDetails({ event }: { event: EventRow }) {
  const whole = useApi<EventWhole>(`/events/${event.id}`, { query: { attempts: event.attempts, status: event.status } })
  const resend = useChange({ stale: ['/events', '/undelivered'], done: shared.resentTheEvent })
  const deliveries = whole.data?.deliveries ?? []
  return (
    <Stack gap={0}>
      <Group justify="space-between" px="md" pb="sm" gap="xs">
        <div>
          <Group gap="xs">
            <StatusBadge status={event.status} />
            <Text size="sm" fw={550}>
              {event.type}
            </Text>
          </Group>
          <Text size="xs" c="dimmed" mt={4} style={{ overflowWrap: 'anywhere' }}>
            <Code>{event.id}</Code> {event.url === null ? shared.noWebhookUrl : shared.toUrl(event.url)}
          </Text>
        </div>
        <Button
          variant="default"
          size="compact-sm"
          loading={resend.isPending}
          disabled={event.url === null}
          onClick={() => resend.mutate({ method: 'POST', path: `/events/${event.id}/resend` })}
        >
          {shared.resend}
        </Button>
      </Group>
      {deliveries.length > 0 && (
        <TableFrame
          label={shared.attemptsOfEvent(event.id)}
          columns={[shared.attempt, shared.when, shared.response, number(shared.duration)]}
        >
          {deliveries.map((delivery) => (
            <Table.Tr key={`${delivery.at}-${String(delivery.attempt)}`}>
              <Table.Td>{delivery.attempt}</Table.Td>
              <Table.Td>
                <When at={delivery.at} />
              </Table.Td>
              <Table.Td>
                <b>{delivery.status ?? shared.none}</b>{' '}
                <Text component="span" size="sm" c="dimmed">
                  {delivery.reason ?? delivery.answer}
                </Text>
              </Table.Td>
              <Table.Td ta="right">{formatDuration(delivery.duration_ms)}</Table.Td>
            </Table.Tr>
          ))}
        </TableFrame>
      )}
    </Stack>
  )
}
