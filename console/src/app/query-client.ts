import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from '../api/call-error.ts'

const isSignedOut = (error: unknown) => error instanceof CallError && error.status === 401

/** What the console knows of the service. Whoever is told that the session is over is asked to sign in again. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      if (isSignedOut(error) && query.queryKey[0] !== 'session')
        void queryClient.resetQueries({ queryKey: ['session'] })
    },
  }),
  mutationCache: new MutationCache({
    // A form is sent while nobody is signed in only by the page for signing in: its refusals stay beside its fields.
    onError(error) {
      if (isSignedOut(error) && queryClient.getQueryData(['session']) !== null)
        void queryClient.resetQueries({ queryKey: ['session'] })
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 1000,
      retry: (failures, error) =>
        failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500),
    },
  },
})
