import { Button, Group, Stack, Text } from '@mantine/core'
import type { OperatedAccount, SignInLink } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { ConfirmButton } from '../../../components/confirm-button.tsx'
import { Panel } from '../../../components/panel.tsx'
import { SecretField } from '../../../components/secret-field.tsx'
import { When } from '../../../components/when.tsx'
import { text } from './text.ts'

export function AccessPanel({ account }: { account: OperatedAccount }) {
  const path = `/accounts/${String(account.id)}`
  const link = useChange<SignInLink>({ stale: ['/audit'] })
  const change = useChange({ stale: ['/accounts', '/audit'] })
  return (
    <Panel title={text.access}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {text.accessAbout}
        </Text>
        {link.data !== undefined && (
          <>
            <SecretField label={text.signInLink} value={link.data.url} />
            <Text size="xs" c="dimmed">
              {text.worksOnceUntil} <When at={link.data.expires_at} exact />
            </Text>
          </>
        )}
        <Group gap="xs">
          <Button
            variant="default"
            loading={link.isPending}
            onClick={() => link.mutate({ method: 'POST', path: `${path}/sign-in-links` })}
          >
            {text.createSignInLink}
          </Button>
          {account.suspended ? (
            <Button
              loading={change.isPending}
              onClick={() => change.mutate({ method: 'PATCH', path, body: { suspended: false } })}
            >
              {text.liftSuspension}
            </Button>
          ) : (
            <ConfirmButton
              label={text.suspend}
              question={text.suspendQuestion(account.name)}
              confirm={text.suspendAccount}
              onConfirm={() => change.mutate({ method: 'PATCH', path, body: { suspended: true } })}
            >
              {text.suspendAbout}
            </ConfirmButton>
          )}
        </Group>
      </Stack>
    </Panel>
  )
}
