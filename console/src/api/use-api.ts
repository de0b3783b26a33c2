import { notifications } from '@mantine/notifications'
import type { UseQueryResult } from '@tanstack/react-query'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CallOptions, Query } from './call.ts'
import { call } from './call.ts'
import { CallError, messageOf } from './call-error.ts'
import { viewedAccount } from './viewed-account.ts'

type ReadOptions = {
  query?: Query
  /** Milliseconds between reads, while the page is visible. */
  every?: number | false
  enabled?: boolean
  /** Shows the rows of before until those of a new filter are there. */
  keep?: boolean
}

/** Reads a path of the console's interface and keeps it fresh. */
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
  /** Paths whose answers are not true any more. */
  stale?: string[]
  /** What the corner of the page says when it is done. */
  done?: string
  onDone?: (answer: Answer) => void
  /** Says problems in the corner, where the page shows them nowhere else. Default true. */
  tell?: boolean
}

export type Change = { method: string; path: string } & CallOptions

/** Changes something through the console's interface, and reads anew what it touched. */
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
      // What is gone or was changed already was shown as it was before: by another tab, or by somebody else.
      if (error instanceof CallError && (error.status === 404 || error.status === 409)) await readAnew()
    },
  })
}
