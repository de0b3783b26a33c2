import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { SecretRow } from '../../api/objects.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function SecretPanel() {
  const secrets = useApi<{ data: SecretRow[] }>('/webhook/secrets')
  const [shown, setShown] = useState<string>()
  const [overlap, setOverlap] = useState('24')
  const onDone = ({ secret }: { secret: string }) => setShown(secret)
  const reveal = useChange<{ secret: string }>({ stale: ['/audit'], onDone })
  const roll = useChange<{ secret: string }>({ stale: ['/webhook/secrets', '/audit'], onDone })
  return (
    <Panel title={text.signingSecret} about={text.signingSecretAbout}>
      <Stack gap="sm">
        <Read of={secrets} rows={1}>
          {({ data }) => (
            <>
              {data.map(({ id, created_at, expires_at }) => (
                <Text key={id} size="sm">
                  {shared.created} <When at={created_at} />
                  {expires_at === null ? (
                    text.signsEveryEvent
                  ) : (
                    <>
                      {text.stillSignsUntil} <When at={expires_at} exact />
                    </>
                  )}
                </Text>
              ))}
            </>
          )}
        </Read>
        <Select
          label={text.overlap}
          data={[
            { value: '24', label: text.oneDay },
            { value: '1', label: text.oneHour },
            { value: '0', label: text.newSecretOnly },
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
            {text.showSecret}
          </Button>
          <ConfirmButton
            label={text.rollSecret}
            question={text.rollSecretQuestion}
            confirm={text.rollSecret}
            loading={roll.isPending}
            onConfirm={() =>
              roll.mutate({ method: 'POST', path: '/webhook/secrets/roll', body: { overlap_hours: Number(overlap) } })
            }
          >
            {overlap === '0' ? text.rollSecretNowAbout : text.rollSecretLaterAbout(overlap)}
          </ConfirmButton>
        </Group>
      </Stack>
      <SecretDialog title={text.signingSecret} label={text.secret} secret={shown} onClose={() => setShown(undefined)}>
        {text.installSecret}
      </SecretDialog>
    </Panel>
  )
}
