import { Grid, SimpleGrid, Stack } from '@mantine/core'
import { Navigate, useSearch } from '@tanstack/react-router'
import type { Overview } from '../../api/objects.ts'
import { useSession } from '../../api/queries/session.ts'
import { useApi } from '../../api/use-api.ts'
import { BuyCredit } from '../../components/buy-credit.tsx'
import { DaysChart } from '../../components/days-chart.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { CreditStats } from './credit-stats.tsx'
import { FailuresPanel } from './failures-panel.tsx'
import { FirstSteps } from './first-steps.tsx'
import { RecentPanel } from './recent-panel.tsx'
import { text } from './text.ts'

export function OverviewPage() {
  const session = useSession()
  const { account } = useSearch({ from: '__root__' })
  const hasNone = session.account === null && account === undefined
  if (session.kind === 'operator' && hasNone) return <Navigate to="/operator/accounts" replace />
  return <AccountOverview />
}

function AccountOverview() {
  const overview = useApi<Overview>('/overview', { every: 5000 })
  return (
    <>
      <PageHeader
        title={text.overview}
        actions={
          <>
            <BuyCredit />
            <LinkButton to="/playground">{text.newRequest}</LinkButton>
          </>
        }
      />
      <Read of={overview} rows={6}>
        {({ credit, days, failures, recent, steps }) => (
          <Stack gap="md">
            <FirstSteps steps={steps} />
            <CreditStats credit={credit} days={days} />
            <Grid gap="md">
              <Grid.Col span={{ base: 12, md: 8 }}>
                <Panel title={text.requestsByDay} about={text.requestsByDayAbout}>
                  <DaysChart days={days.map(({ date, requests }) => ({ date, requests }))} label={text.requestsByDay} />
                </Panel>
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 4 }}>
                <FailuresPanel failures={failures} />
              </Grid.Col>
            </Grid>
            <SimpleGrid cols={1}>
              <RecentPanel recent={recent} />
            </SimpleGrid>
          </Stack>
        )}
      </Read>
    </>
  )
}
