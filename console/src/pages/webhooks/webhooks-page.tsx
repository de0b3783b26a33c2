import { Grid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { AddressPanel } from './address-panel.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { SecretPanel } from './secret-panel.tsx'

export function WebhooksPage() {
  return (
    <>
      <PageHeader
        title="Webhooks"
        about="When a request finishes, the service sends a signed event to your webhook URL. Failed deliveries are retried."
      />
      <Stack gap="md">
        <Grid gap="md">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <AddressPanel />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <SecretPanel />
          </Grid.Col>
        </Grid>
        <DeliveriesPanel />
      </Stack>
    </>
  )
}
