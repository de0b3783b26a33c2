import { Button, Group, Stack, Text } from '@mantine/core'
import type { OperatedAccount, SignInLink } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { formatTime } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { SecretField } from '../../../components/secret-field.tsx'

export function AccessPanel({ account }: { account: OperatedAccount }) {
  const path = `/accounts/${String(account.id)}`
  const link = useChange<SignInLink>({ stale: ['/audit'] })
  const change = useChange({ stale: ['/accounts', '/audit'] })
  return (
    <Panel title="Access">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A sign-in link works once and expires after 15 minutes. Send it over a private channel.
        </Text>
        {link.data !== undefined && (
          <>
            <SecretField label="Sign-in link" value={link.data.url} />
            <Text size="xs" c="dimmed">
              Works once, until {formatTime(link.data.expires_at)}.
            </Text>
          </>
        )}
        <Group gap="xs">
          <Button
            variant="default"
            loading={link.isPending}
            onClick={() => link.mutate({ method: 'POST', path: `${path}/sign-in-links` })}
          >
            Create sign-in link
          </Button>
          {account.suspended ? (
            <Button
              loading={change.isPending}
              onClick={() => change.mutate({ method: 'PATCH', path, body: { suspended: false } })}
            >
              Lift suspension
            </Button>
          ) : (
            <ConfirmButton
              label="Suspend"
              question={`Suspend ${account.name}?`}
              confirm="Suspend account"
              onConfirm={() => change.mutate({ method: 'PATCH', path, body: { suspended: true } })}
            >
              The service rejects all further calls of this account. Accepted requests continue, and result links keep
              working.
            </ConfirmButton>
          )}
        </Group>
      </Stack>
    </Panel>
  )
}
