import { useMutation } from '@tanstack/react-query'
import type { useRecipe } from '../use-recipe.ts'
import type { Given } from './earlier-call.ts'
import { isNamedIn, withGiven } from './earlier-call.ts'
import { makeEarlier } from './make-earlier.ts'

/** The calls that this recipe begins with: none once they are made, and what they gave is in its fields. */
export function useEarlier({ draft, change, sampleUrl }: ReturnType<typeof useRecipe>, body: Record<string, unknown>) {
  const pending = draft.earlier.filter((call) => isNamedIn(body, call))
  const making = useMutation({
    mutationFn: async (): Promise<Given> => {
      const given: Record<string, string> = {}
      for (const { gives, path, body: sent } of pending) {
        given[gives] = await makeEarlier({ gives, path, body: withGiven(sent, given) })
      }
      return given
    },
    onSuccess: (given) =>
      change((now) => ({
        source: withGiven(now.source, given),
        steps: now.steps.map((step) => ({ ...step, operation: withGiven(step.operation, given) })),
        earlier: [],
      })),
  })
  const anyPicture = sampleUrl('logo.png')
  return {
    pending,
    isMaking: making.isPending,
    error: making.error,
    make: async (): Promise<Given> => (pending.length === 0 ? {} : await making.mutateAsync()),
    /** The body to ask the price of: a picture stands where one is still to be made. */
    priced: withGiven(body, Object.fromEntries(pending.map(({ gives }) => [gives, anyPicture]))),
  }
}
