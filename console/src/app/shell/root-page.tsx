import { useSuspenseQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../../api/queries/session.ts'
import { Loading } from '../../components/loading.tsx'
import { loadPart } from '../load-part.ts'
import { Shell } from './shell.tsx'
import { useSignInToken } from './use-sign-in-token.ts'

const SignInPage = lazy(
  loadPart(async () => ({ default: (await import('../../pages/sign-in/sign-in-page.tsx')).SignInPage })),
)

/** Every page: the console for those who signed in, and the way in for all others. */
export function RootPage() {
  return (
    <Suspense fallback={<Loading />}>
      <Entrance />
    </Suspense>
  )
}

function Entrance() {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { token, forget } = useSignInToken()
  if (session === null || token !== undefined) return <SignInPage key={token} token={token} onSignedIn={forget} />
  return (
    <Shell session={session}>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
    </Shell>
  )
}
