import { notifications } from '@mantine/notifications'
import type { UseQueryResult } from '@tanstack/react-query'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CallOptions, Query } from './call.ts'
import { call } from './call.ts'
import { CallError, messageOf } from './call-error.ts'
import { viewedAccount } from './viewed-account.ts'

type ReadOptions = {
  query?: Query
  /** Milliseconds between reads while the page is visible. */
  every?: number | false
  enabled?: boolean
  /** Keeps showing the old rows until the rows of a new filter arrive. */
  keep?: boolean
}

/** Reads a path of the console API and keeps it up to date. */
export function useApi<Answer>(path: string, options: ReadOptions = {}): UseQueryResult<Answer> {
  const { query = {}, every = false, enabled = true, keep = false } = options
  return useQuery<Answer>({
    queryKey: [path, query, viewedAccount()],
    queryFn: ({ signal }) => call<Answer>('GET', path, { query, signal }),
    refetchInterval: every,
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  })
}

type ChangeOptions<Answer> = {
  /** Paths whose cached responses are outdated after the change. */
  stale?: string[]
  /** The message in the corner of the page after the change succeeds. */
  done?: string
  onDone?: (answer: Answer) => void
  /** Shows errors in the corner of the page. Set it to false if the page shows them elsewhere. Default true. */
  tell?: boolean
}

export type Change = { method: string; path: string } & CallOptions

/** Changes something through the console API, and reloads the paths that it affects. */
export function useChange<Answer = unknown>({ stale = [], done, onDone, tell = true }: ChangeOptions<Answer> = {}) {
  const client = useQueryClient()
  const readAnew = () =>
    client.invalidateQueries({
      predicate: ({ queryKey }) => stale.some((path) => String(queryKey[0]).startsWith(path)),
    })
  return useMutation({
    mutationFn: ({ method, path, ...options }: Change) => call<Answer>(method, path, options),
    async onSuccess(answer) {
      if (done !== undefined) notifications.show({ message: done, color: 'mill' })
      onDone?.(answer)
      await readAnew()
    },
    async onError(error) {
      if (tell) notifications.show({ message: messageOf(error), color: 'red' })
      // Another tab or another user already deleted or changed the object, so the page shows an old state.
      if (error instanceof CallError && (error.status === 404 || error.status === 409)) await readAnew()
    },
  })
}
