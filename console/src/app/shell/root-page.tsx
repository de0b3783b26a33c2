import { Center, Loader, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../../api/queries/session.ts'
import { Brand } from '../../components/brand.tsx'
import { Loading } from '../../components/loading.tsx'
import { shared } from '../../text.ts'
import { loadPart } from '../load-part.ts'
import { basePath } from '../page-settings.ts'
import { canOpen, NotForSession } from './not-for-session.tsx'
import { Shell } from './shell.tsx'
import { useSignInToken } from './use-sign-in-token.ts'

const SignInPage = lazy(
  loadPart(async () => ({ default: (await import('../../pages/sign-in/sign-in-page.tsx')).SignInPage })),
)

export function RootPage() {
  return (
    <Suspense fallback={<Splash />}>
      <Entrance />
    </Suspense>
  )
}

function Entrance() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { token, forget } = useSignInToken()
  const path = `/${useLocation().pathname.slice(1).replace(basePath.slice(1), '')}`
  if (session === null || token !== undefined) return <SignInPage key={token} token={token} onSignedIn={forget} />
  return (
    <Shell session={session}>
      <Suspense fallback={<Loading />}>
        {canOpen(session.kind, path) ? <Outlet /> : <NotForSession path={path} />}
      </Suspense>
    </Shell>
  )
}

function Splash() {
  return (
    <Center component="main" h="100dvh" aria-busy="true">
      <Stack align="center" gap="lg">
        <Brand />
        <Loader type="dots" aria-label={shared.loading} />
      </Stack>
    </Center>
  )
}
