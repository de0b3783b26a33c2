import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SecretRow } from '../../api/objects.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { formatTime } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { When } from '../../components/when.tsx'

/** The secret that events are signed with: shown on request, and rolled. */
export function SecretPanel() {
  const secrets = useApi<{ data: SecretRow[] }>('/webhook/secrets')
  const [shown, setShown] = useState<string>()
  const [overlap, setOverlap] = useState('24')
  const onDone = ({ secret }: { secret: string }) => setShown(secret)
  const reveal = useChange<{ secret: string }>({ stale: ['/audit'], onDone })
  const roll = useChange<{ secret: string }>({ stale: ['/webhook/secrets', '/audit'], onDone })
  return (
    <Panel title="Signing secret" about="Your server checks each event with it.">
      <Stack gap="sm">
        <Read of={secrets} rows={1}>
          {({ data }) => (
            <>
              {data.map(({ id, created_at, expires_at }) => (
                <Text key={id} size="sm">
                  Made <When at={created_at} />
                  {expires_at === null ? ', signs every event' : `, still signs until ${formatTime(expires_at)}`}
                </Text>
              ))}
            </>
          )}
        </Read>
        <Select
          label="When rolled, the old one goes on signing for"
          data={[
            { value: '24', label: '24 hours' },
            { value: '1', label: '1 hour' },
            { value: '0', label: 'not at all' },
          ]}
          value={overlap}
          onChange={(hours) => setOverlap(hours ?? '24')}
          allowDeselect={false}
        />
        <Group gap="xs">
          <Button
            variant="default"
            loading={reveal.isPending}
            onClick={() => reveal.mutate({ method: 'POST', path: '/webhook/secrets/reveal' })}
          >
            Show it
          </Button>
          <ConfirmButton
            label="Roll it"
            question="Make a new signing secret?"
            confirm="Roll it"
            loading={roll.isPending}
            onConfirm={() =>
              roll.mutate({ method: 'POST', path: '/webhook/secrets/roll', body: { overlap_hours: Number(overlap) } })
            }
          >
            {overlap === '0'
              ? 'Events are signed with the new one alone, at once: your server refuses them until it knows it.'
              : `Events carry both signatures for ${overlap} h: put the new secret into your server in that time.`}
          </ConfirmButton>
        </Group>
      </Stack>
      <SecretDialog title="The signing secret" label="Secret" secret={shown} onClose={() => setShown(undefined)}>
        Put it where your server finds it. It can be shown again here.
      </SecretDialog>
    </Panel>
  )
}
