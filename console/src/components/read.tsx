import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Loading } from './loading.tsx'
import { Problem } from './problem.tsx'

type Props<Answer> = { of: UseQueryResult<Answer>; rows?: number; children: (answer: Answer) => ReactNode }

/** Shows loaded data. Until then, it shows a placeholder or an error. */
export function Read<Answer>({ of, rows = 4, children }: Props<Answer>) {
  if (of.data !== undefined) return <>{children(of.data)}</>
  if (of.error !== null) return <Problem error={of.error} again={of.refetch} />
  return <Loading rows={rows} />
}
