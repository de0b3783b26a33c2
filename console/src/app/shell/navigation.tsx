import { Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import {
  IconActivity,
  IconBuildingBank,
  IconChartBar,
  IconHistory,
  IconHome,
  IconKey,
  IconList,
  IconMailX,
  IconPalette,
  IconSettings,
  IconStack2,
  IconTemplate,
  IconTestPipe,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { Link, useSearch } from '@tanstack/react-router'
import type { Session } from '../../api/objects.ts'
import { shared } from '../../text.ts'
import classes from './navigation.module.css'

type Kind = Session['kind']
type Entry = { to: string; label: string; icon: Icon; kinds?: Kind[] }

const ACCOUNT: Entry[] = [
  { to: '/', label: shared.overview, icon: IconHome },
  { to: '/requests', label: shared.requests, icon: IconList },
  { to: '/playground', label: shared.playground, icon: IconTestPipe },
  { to: '/filters', label: shared.filters, icon: IconPalette },
  { to: '/templates', label: shared.templates, icon: IconTemplate },
  { to: '/usage', label: shared.usage, icon: IconChartBar },
  { to: '/keys', label: shared.apiKeys, icon: IconKey, kinds: ['account', 'operator'] },
  { to: '/webhooks', label: shared.webhooks, icon: IconWebhook, kinds: ['account', 'operator'] },
  { to: '/settings', label: shared.settings, icon: IconSettings, kinds: ['account', 'operator'] },
]

const OPERATOR: Entry[] = [
  { to: '/operator/accounts', label: shared.accounts, icon: IconUsers },
  { to: '/operator/queue', label: shared.queue, icon: IconStack2 },
  { to: '/operator/deliveries', label: shared.deliveries, icon: IconMailX },
  { to: '/operator/billing', label: shared.billing, icon: IconBuildingBank },
  { to: '/operator/health', label: shared.health, icon: IconActivity },
  { to: '/operator/audit', label: shared.audit, icon: IconHistory },
]

/** The list of pages. Operators get the pages of the account they view, otherwise of their own account, if any. */
export function Navigation({ session }: { session: Session }) {
  const { account } = useSearch({ from: '__root__' })
  const { kind } = session
  if (kind !== 'operator') return <Entries entries={ACCOUNT} kind={kind} />
  return (
    <div>
      {account === undefined && session.account !== null && (
        <Entries title={shared.yourAccount} entries={ACCOUNT} kind={kind} />
      )}
      <Entries title={shared.service} entries={OPERATOR} kind={kind} />
      {account !== undefined && <Entries title={shared.accountNumber(account)} entries={ACCOUNT} kind={kind} />}
    </div>
  )
}

function Entries({ title, entries, kind }: { title?: string | undefined; entries: Entry[]; kind: Kind }) {
  return (
    <>
      {title !== undefined && (
        <Text className={classes['title']} size="xs" c="dimmed" fw={600}>
          {title}
        </Text>
      )}
      <ul className={classes['entries']}>
        {entries
          .filter(({ kinds }) => kinds === undefined || kinds.includes(kind))
          .map(({ to, label, icon: EntryIcon }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={classes['entry']}>
                <EntryIcon size={18} stroke={1.7} aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
      </ul>
    </>
  )
}
