import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from '../components/problem.tsx'

/** Stands where a page could not be shown, until it is tried again. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  const answers = useQueryErrorResetBoundary()
  const again = () => {
    // What the page asked for is asked anew: it would fail with the same answer otherwise.
    answers.reset()
    reset()
  }
  return <Problem error={error} again={again} />
}
