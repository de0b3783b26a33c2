import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from '../components/problem.tsx'

/** Replaces a page that could not be displayed with its error and a retry button. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  const errorBoundary = useQueryErrorResetBoundary()
  const again = () => {
    // Without this reset, the retry would show the cached error again.
    errorBoundary.reset()
    reset()
  }
  return <Problem error={error} again={again} />
}
