import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Problem } from '../components/problem.tsx'

export function PageProblem({ error, reset }: ErrorComponentProps) {
  const errorBoundary = useQueryErrorResetBoundary()
  const again = () => {
    // Without this reset, a retry would show the cached error.
    errorBoundary.reset()
    reset()
  }
  return <Problem error={error} again={again} />
}
