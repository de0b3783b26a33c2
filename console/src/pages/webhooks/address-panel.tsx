import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { messageOf, messagesByField } from '../../api/call-error.ts'
import type { Webhook, WebhookTest } from '../../api/objects.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { formatDuration } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'

export function AddressPanel() {
  const webhook = useApi<Webhook>('/webhook')
  return (
    <Panel title="Webhook URL" about="Receives the events of requests without their own webhook_url.">
      <Read of={webhook} rows={2}>
        {({ url }) => <AddressForm key={url} url={url} />}
      </Read>
    </Panel>
  )
}

function AddressForm({ url }: { url: string | null }) {
  const [typed, setTyped] = useState(url ?? '')
  const save = useChange({
    stale: ['/webhook', '/overview', '/audit'],
    done: 'Saved the webhook URL.',
    showsErrors: false,
  })
  const test = useChange<WebhookTest>({ showsErrors: false })
  const problem = save.error === null ? undefined : (messagesByField(save.error)['url'] ?? messageOf(save.error))
  return (
    <Stack gap="sm">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate({ method: 'PUT', path: '/webhook', body: { url: typed.trim() === '' ? null : typed.trim() } })
        }}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Public https URL"
            type="url"
            placeholder="https://example.com/hooks/media"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={problem}
            style={{ flex: '1 1 220px' }}
          />
          <Button type="submit" loading={save.isPending} disabled={typed.trim() === (url ?? '')}>
            Save
          </Button>
          <Button
            variant="default"
            loading={test.isPending}
            disabled={url === null}
            onClick={() => test.mutate({ method: 'POST', path: '/webhook/test' })}
          >
            Send a test event
          </Button>
        </Group>
      </form>
      {test.error !== null && <Alert color="red">{messageOf(test.error)}</Alert>}
      {test.data !== undefined && <TestResponse test={test.data} />}
    </Stack>
  )
}

function TestResponse({ test }: { test: WebhookTest }) {
  return (
    <Alert color={test.delivered ? 'mill' : 'red'} role="status" title={test.delivered ? 'Delivered' : 'Not delivered'}>
      <Text size="sm">
        {test.status === null ? (test.reason ?? 'No response') : `Your server returned ${String(test.status)}`} after{' '}
        {formatDuration(test.duration_ms)}. {test.delivered ? '' : 'Return any 2xx status within 10 seconds.'}
      </Text>
    </Alert>
  )
}
