import type { Account } from '../../api/objects.ts'
import { useApi } from '../../api/use-api.ts'
import { Details } from '../../components/details.tsx'
import { formatCount, formatTime } from '../../components/format.ts'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'

export function AccountPanel() {
  const account = useApi<Account>('/account')
  return (
    <Panel title="Account">
      <Read of={account}>
        {({ id, name, email, tier, limits, created_at }) => (
          <Details
            details={{
              Number: id,
              Name: name,
              Email: email,
              Tier: tier === 'paid' ? 'paid' : 'free (videos require purchased credit)',
              'Calls a minute, live': formatCount(limits.requests_per_minute),
              'Concurrent requests, live': formatCount(limits.concurrent_requests),
              'Largest source, live': formatSizeLimit(limits.max_source_bytes),
              Created: formatTime(created_at),
            }}
          />
        )}
      </Read>
    </Panel>
  )
}

/** Formats a limit in binary units, such as `25 MB` or `2 GB`. */
const formatSizeLimit = (bytes: number) =>
  bytes < 2 ** 30 ? `${formatCount(Math.round(bytes / 2 ** 20))} MB` : `${formatCount(bytes / 2 ** 30)} GB`
