import { Button, Table, Text } from '@mantine/core'
import { useState } from 'react'
import type { EventRow, EventWhole } from '../api/objects.ts'
import { useApi, useChange } from '../api/use-api.ts'
import { shared } from '../text.ts'
import { Breakable } from './breakable.tsx'
import { unseen, wide } from './columns.ts'
import { StatusBadge } from './status-badge.tsx'
import { TableFrame } from './table-frame.tsx'
import { TextLink } from './text-link.tsx'
import { When } from './when.tsx'

/** A table of events. When the user resends an event, its row stays in place and shows the new outcome. */
export function EventTable({ events, withAccount = false }: { events: EventRow[]; withAccount?: boolean }) {
  const [resent, setResent] = useState<readonly EventRow[]>([])
  const gone = resent.filter(({ id }) => events.every((event) => event.id !== id))
  const rows = [...events, ...gone].toSorted((one, other) => other.created_at.localeCompare(one.created_at))
  return (
    <TableFrame
      label={shared.events}
      columns={[
        shared.event,
        shared.status,
        withAccount && wide(shared.account),
        wide(shared.webhookUrl),
        wide(shared.when),
        unseen(shared.actions),
      ]}
    >
      {rows.map((event) => (
        <EventTableRow
          key={event.id}
          event={event}
          withAccount={withAccount}
          isResent={resent.some(({ id }) => id === event.id)}
          onResent={() => setResent((now) => [...now.filter(({ id }) => id !== event.id), event])}
        />
      ))}
    </TableFrame>
  )
}

type RowProps = { event: EventRow; withAccount: boolean; isResent: boolean; onResent: () => void }

function EventTableRow({ event: listed, withAccount, isResent, onResent }: RowProps) {
  const account = withAccount ? { account: listed.account } : {}
  const resend = useChange({ stale: ['/events', '/undelivered'], onDone: onResent })
  const current = useApi<EventWhole>(`/events/${listed.id}`, {
    query: account,
    enabled: isResent,
    every: isResent ? 1000 : false,
  })
  const event = isResent ? (current.data ?? { ...listed, status: 'pending' as const }) : listed
  const isSending = resend.isPending || (isResent && event.status === 'pending')
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={550}>
          <Breakable text={event.type} after="." />
        </Text>
        <Text size="xs" c="dimmed">
          {shared.forRequest}{' '}
          <TextLink
            to="/requests/$id"
            params={{ id: String(event.request) }}
            search={account}
            size="xs"
            underline="always"
          >
            {event.request}
          </TextLink>
        </Text>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={event.status} />
        <Text size="xs" c="dimmed" mt={2}>
          {isResent && `${shared.resent} `}
          {shared.attempts(event.attempts)}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm" mt={4}>
          <When at={event.created_at} />
        </Text>
      </Table.Td>
      {withAccount && <Table.Td visibleFrom="sm">{event.account}</Table.Td>}
      <Table.Td visibleFrom="sm" style={{ overflowWrap: 'anywhere' }}>
        {event.url ?? shared.none}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <When at={event.created_at} />
      </Table.Td>
      <Table.Td ta="right">
        <Button
          variant="default"
          size="compact-sm"
          disabled={event.url === null}
          loading={isSending}
          onClick={() => resend.mutate({ method: 'POST', path: `/events/${event.id}/resend`, query: account })}
        >
          {shared.resend}
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}
