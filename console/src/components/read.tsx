import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'
import { Problem } from './problem.tsx'

type Props<Result> = { of: UseQueryResult<Result>; rows?: number; children: (response: Result) => ReactNode }

export function Read<Result>({ of, rows = 4, children }: Props<Result>) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== null) return <Problem error={of.error} again={of.refetch} />
  return <Loading rows={rows} />
}
