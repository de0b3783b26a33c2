import { Group, Table, Text } from '@mantine/core'
import type { MediaRequest } from '../api/objects.ts'
import { shared } from '../text.ts'
import { Breakable } from './breakable.tsx'
import { wide, wideNumber } from './columns.ts'
import { fileOf } from './file-of.ts'
import { formatDuration, formatName } from './format.ts'
import { Price } from './price.tsx'
import classes from './request-table.module.css'
import { ResultPreview } from './result-preview.tsx'
import { StatusBadge } from './status-badge.tsx'
import { TableFrame } from './table-frame.tsx'
import { TextLink } from './text-link.tsx'
import { When } from './when.tsx'

export function RequestTable({ requests, label }: { requests: MediaRequest[]; label: string }) {
  return (
    <TableFrame
      label={label}
      columns={[
        shared.request,
        shared.status,
        wide(shared.customer),
        wide(shared.accepted),
        wideNumber(shared.duration),
        wideNumber(shared.price),
      ]}
    >
      {requests.map((request) => (
        <Row key={request.id} request={request} />
      ))}
    </TableFrame>
  )
}

const sourceNameOf = (source: string) => (source.startsWith('http') ? fileOf(source).name : shared.upload)

/** Returns the names of the operations, such as `orient, resize`. */
function operationsOf({ input }: MediaRequest): string {
  const { operations } = input as { operations?: { type: string }[] }
  return (operations ?? []).map(({ type }) => formatName(type).toLowerCase()).join(', ')
}

function Row({ request }: { request: MediaRequest }) {
  const { id, endpoint, status, livemode, customer, created_at } = request
  const timings = 'timings' in request ? request.timings : undefined
  const progress = request.status === 'processing' ? request.progress : undefined
  return (
    <Table.Tr className={classes['row'] ?? ''}>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <ResultPreview request={request} />
          <div>
            <TextLink
              className={classes['link'] ?? ''}
              to="/requests/$id"
              params={{ id: String(id) }}
              fw={600}
              size="sm"
            >
              {id}
            </TextLink>{' '}
            <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
              {sourceNameOf(request.source)}
            </Text>
            <Text size="xs" c="dimmed">
              {[endpoint, operationsOf(request), ...(livemode ? [] : [shared.test])]
                .filter((part) => part !== '')
                .join(' · ')}
            </Text>
          </div>
        </Group>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={status} label={progress === undefined ? status : `${status} ${progress}%`} />
        {request.status === 'failed' && (
          <Text size="xs" c="dimmed" mt={4}>
            <Breakable text={request.error.code} after="_" />
          </Text>
        )}
        <Text size="xs" c="dimmed" hiddenFrom="sm" mt={4}>
          <When at={created_at} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm" miw={96} style={{ overflowWrap: 'anywhere' }}>
        {customer ?? (
          <Text component="span" c="dimmed" size="sm">
            –
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <When at={created_at} />
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {timings === undefined ? '–' : formatDuration(timings.total_ms)}
      </Table.Td>
      <Table.Td visibleFrom="sm" ta="right">
        {'price' in request ? <Price money={request.price} /> : '–'}
      </Table.Td>
    </Table.Tr>
  )
}
