import { formatBytes } from '@mediamill/contract/lib/format-text'
import type { Account } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { Details } from '../../components/details.tsx'
import { formatCount } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function AccountPanel() {
  const account = useApi<Account>('/account')
  return (
    <Panel title={shared.account}>
      <Read of={account}>
        {({ id, name, email, tier, limits, created_at }) => (
          <Details
            details={{
              [text.number]: id,
              [shared.name]: name,
              [text.email]: email,
              [text.tier]: tier === 'paid' ? text.paidTier : text.freeTier,
              [text.callsAMinuteLive]: formatCount(limits.requests_per_minute),
              [text.concurrentRequestsLive]: formatCount(limits.concurrent_requests),
              [text.largestSourceLive]: formatBytes(limits.max_source_bytes),
              [shared.created]: <When at={created_at} exact />,
            }}
          />
        )}
      </Read>
    </Panel>
  )
}
