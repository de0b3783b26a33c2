import { Grid, Stack } from '@mantine/core'
import { PageHeader } from '../../components/page-header.tsx'
import { AddressPanel } from './address-panel.tsx'
import { DeliveriesPanel } from './deliveries-panel.tsx'
import { SecretPanel } from './secret-panel.tsx'
import { text } from './text.ts'

export function WebhooksPage() {
  return (
    <>
      <PageHeader title={text.webhooks} about={text.webhooksAbout} />
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
