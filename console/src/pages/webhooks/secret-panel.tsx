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

export function SecretPanel() {
  const secrets = useApi<{ data: SecretRow[] }>('/webhook/secrets')
  const [shown, setShown] = useState<string>()
  const [overlap, setOverlap] = useState('24')
  const onDone = ({ secret }: { secret: string }) => setShown(secret)
  const reveal = useChange<{ secret: string }>({ stale: ['/audit'], onDone })
  const roll = useChange<{ secret: string }>({ stale: ['/webhook/secrets', '/audit'], onDone })
  return (
    <Panel title="Signing secret" about="Your server verifies each event with this secret.">
      <Stack gap="sm">
        <Read of={secrets} rows={1}>
          {({ data }) => (
            <>
              {data.map(({ id, created_at, expires_at }) => (
                <Text key={id} size="sm">
                  Created <When at={created_at} />
                  {expires_at === null ? ', signs every event' : `, still signs until ${formatTime(expires_at)}`}
                </Text>
              ))}
            </>
          )}
        </Read>
        <Select
          label="After rolling, continue to sign with the old secret for"
          data={[
            { value: '24', label: '24 hours' },
            { value: '1', label: '1 hour' },
            { value: '0', label: '0 hours (new secret only)' },
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
            Show secret
          </Button>
          <ConfirmButton
            label="Roll secret"
            question="Create a new signing secret?"
            confirm="Roll secret"
            loading={roll.isPending}
            onConfirm={() =>
              roll.mutate({ method: 'POST', path: '/webhook/secrets/roll', body: { overlap_hours: Number(overlap) } })
            }
          >
            {overlap === '0'
              ? 'Events are signed with the new secret only, starting now. Your server rejects these events until you install the new secret.'
              : `Events have both signatures for ${overlap} h. Install the new secret on your server in that time.`}
          </ConfirmButton>
        </Group>
      </Stack>
      <SecretDialog title="Signing secret" label="Secret" secret={shown} onClose={() => setShown(undefined)}>
        Install the secret on your server. You can show it again here at any time.
      </SecretDialog>
    </Panel>
  )
}
