import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { messageOf, messagesByField } from '../../api/call-error.ts'
import type { Webhook, WebhookTest } from '../../api/objects.ts'
import { useApi, useChange } from '../../api/use-api.ts'
import { formatDuration } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function AddressPanel() {
  const webhook = useApi<Webhook>('/webhook')
  return (
    <Panel title={shared.webhookUrl} about={text.webhookUrlAbout}>
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
    done: text.savedTheWebhookUrl,
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
            label={text.publicHttpsUrl}
            type="url"
            placeholder={text.publicHttpsUrlPlaceholder}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={problem}
            style={{ flex: '1 1 220px' }}
          />
          <Button type="submit" loading={save.isPending} disabled={typed.trim() === (url ?? '')}>
            {text.save}
          </Button>
          <Button
            variant="default"
            loading={test.isPending}
            disabled={url === null}
            onClick={() => test.mutate({ method: 'POST', path: '/webhook/test' })}
          >
            {text.sendATestEvent}
          </Button>
        </Group>
      </form>
      {test.error !== null && <Alert color="red">{messageOf(test.error)}</Alert>}
      {test.data !== undefined && <TestResponse test={test.data} />}
    </Stack>
  )
}

function TestResponse({ test }: { test: WebhookTest }) {
  const response = test.status === null ? (test.reason ?? text.noResponse) : text.yourServerReturned(test.status)
  return (
    <Alert
      color={test.delivered ? 'mill' : 'red'}
      role="status"
      title={test.delivered ? text.delivered : text.notDelivered}
    >
      <Text size="sm">
        {text.testResponse(response, formatDuration(test.duration_ms))} {test.delivered ? '' : text.notDeliveredHelp}
      </Text>
    </Alert>
  )
}
