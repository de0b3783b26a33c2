import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from '../components/problem.tsx'

/** Stands where a page could not be shown. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  return <Problem error={error} again={reset} />
}
