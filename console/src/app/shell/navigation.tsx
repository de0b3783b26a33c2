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
  IconTestPipe,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react'
import { Link, useSearch } from '@tanstack/react-router'
import type { Session } from '../../api/objects.ts'
import classes from './navigation.module.css'

type Kind = Session['kind']
type Entry = { to: string; label: string; icon: Icon; kinds?: Kind[] }

const ACCOUNT: Entry[] = [
  { to: '/', label: 'Overview', icon: IconHome },
  { to: '/requests', label: 'Requests', icon: IconList },
  { to: '/playground', label: 'Playground', icon: IconTestPipe },
  { to: '/looks', label: 'Filters', icon: IconPalette },
  { to: '/usage', label: 'Usage', icon: IconChartBar },
  { to: '/keys', label: 'API keys', icon: IconKey, kinds: ['account', 'operator'] },
  { to: '/webhooks', label: 'Webhooks', icon: IconWebhook, kinds: ['account', 'operator'] },
  { to: '/settings', label: 'Settings', icon: IconSettings, kinds: ['account', 'operator'] },
]

const OPERATOR: Entry[] = [
  { to: '/operator/accounts', label: 'Accounts', icon: IconUsers },
  { to: '/operator/queue', label: 'Queue', icon: IconStack2 },
  { to: '/operator/deliveries', label: 'Deliveries', icon: IconMailX },
  { to: '/operator/money', label: 'Billing', icon: IconBuildingBank },
  { to: '/operator/health', label: 'Health', icon: IconActivity },
  { to: '/operator/audit', label: 'Audit', icon: IconHistory },
]

/** Links to the pages that this session may open. An operator gets account pages only while viewing an account. */
export function Navigation({ session }: { session: Session }) {
  const { account } = useSearch({ from: '__root__' })
  const { kind } = session
  if (kind !== 'operator') return <Entries entries={ACCOUNT} kind={kind} />
  return (
    <div>
      {account === undefined && session.account !== null && (
        <Entries title="Your account" entries={ACCOUNT} kind={kind} />
      )}
      <Entries title="Service" entries={OPERATOR} kind={kind} />
      {account !== undefined && <Entries title={`Account ${String(account)}`} entries={ACCOUNT} kind={kind} />}
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
          .map(({ to, label, icon: Drawing }) => (
            <li key={to}>
              <Link to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={classes['entry']}>
                <Drawing size={18} stroke={1.7} aria-hidden="true" />
                {label}
              </Link>
            </li>
          ))}
      </ul>
    </>
  )
}
