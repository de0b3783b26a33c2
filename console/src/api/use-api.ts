import { notifications } from '@mantine/notifications'
import type { UseQueryResult } from '@tanstack/react-query'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CallOptions, Query } from './call.ts'
import { call } from './call.ts'
import { CallError, canRetry, messageOf } from './call-error.ts'
import { viewedAccount } from './viewed-account.ts'

type ReadOptions = {
  query?: Query
  /** The time between two reads while the page is visible, in milliseconds. */
  every?: number | false
  enabled?: boolean
  /** Whether to show the old rows until the rows of a new filter arrive. */
  keep?: boolean
}

export function useApi<Result>(path: string, options: ReadOptions = {}): UseQueryResult<Result> {
  const { query = {}, every = false, enabled = true, keep = false } = options
  return useQuery<Result>({
    queryKey: [path, query, viewedAccount()],
    queryFn: ({ signal }) => call<Result>('GET', path, { query, signal }),
    refetchInterval: ({ state: { error } }) => (error === null || canRetry(error) ? every : false),
    enabled,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  })
}

type ChangeOptions<Result> = {
  stale?: string[]
  done?: string
  onDone?: (response: Result) => void
  /** Whether to show an error in the corner of the page. False if the page itself shows the error. Default: true. */
  showsErrors?: boolean
}

type Change = { method: string; path: string } & CallOptions

export function useChange<Result = unknown>({
  stale = [],
  done,
  onDone,
  showsErrors = true,
}: ChangeOptions<Result> = {}) {
  const client = useQueryClient()
  const readAnew = () =>
    client.invalidateQueries({
      predicate: ({ queryKey }) => stale.some((path) => String(queryKey[0]).startsWith(path)),
    })
  return useMutation({
    mutationFn: ({ method, path, ...options }: Change) => call<Result>(method, path, options),
    async onSuccess(response) {
      if (done !== undefined) notifications.show({ message: done, color: 'mill' })
      onDone?.(response)
      await readAnew()
    },
    async onError(error) {
      if (showsErrors) notifications.show({ message: messageOf(error), color: 'red' })
      // Another tab or user changed the object, so the page is outdated.
      if (error instanceof CallError && (error.status === 404 || error.status === 409)) await readAnew()
    },
  })
}
