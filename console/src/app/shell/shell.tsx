import { Anchor, AppShell, Box, Burger, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEffect } from 'react'
import type { Session } from '../../api/objects.ts'
import { Brand } from '../../components/brand.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { shared } from '../../text.ts'
import { servicePath } from '../page-settings.ts'
import { AccountMenu } from './account-menu.tsx'
import { Navigation } from './navigation.tsx'
import classes from './shell.module.css'
import { ThemeButton } from './theme-button.tsx'
import { ViewedAccountBar } from './viewed-account-bar.tsx'

export function Shell({ session, children }: { session: Session; children: ReactNode }) {
  const [opened, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- another page closes the menu, nothing else
  useEffect(close, [pathname])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'md', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className={classes['skip']} href="#page">
        {shared.skipToContent}
      </a>
      <AppShell.Header className={classes['header']}>
        <Group h="100%" px={{ base: 'md', sm: 'lg' }} justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" flex="none">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={shared.menu}
              aria-expanded={opened}
            />
            <Brand />
            <Box visibleFrom="xs">
              <ModeBadge session={session} />
            </Box>
          </Group>
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Anchor href={`${servicePath}docs`} size="sm" mr="xs" visibleFrom="sm">
              {shared.docs}
            </Anchor>
            <ThemeButton />
            <AccountMenu session={session} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes['navbar']} aria-label={shared.pages}>
        <AppShell.Section grow component={ScrollArea} p="sm">
          <Navigation session={session} />
        </AppShell.Section>
        <AppShell.Section p="md" hiddenFrom="sm">
          <Anchor href={`${servicePath}docs`} size="sm">
            {shared.docs}
          </Anchor>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main className={classes['main']}>
        <div className={classes['page']} id="page" tabIndex={-1}>
          <ViewedAccountBar session={session} />
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  )
}

function ModeBadge({ session }: { session: Session }) {
  if (session.kind === 'operator') return <StatusBadge status="queued" label={shared.operator} />
  if (session.kind === 'account') return null
  return <StatusBadge status="processing" label={session.livemode === true ? shared.liveKey : shared.testKey} />
}
