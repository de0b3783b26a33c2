import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { viewedAccount } from '../../../api/viewed-account.ts'
import { hasPassed } from '../../../components/format.ts'
import type { useRecipe } from '../use-recipe.ts'
import type { EarlierCall, Given } from './earlier-call.ts'
import { freeName, neededCalls, STAMPS, withGiven } from './earlier-call.ts'
import type { Made } from './make-earlier.ts'
import { makeEarlier } from './make-earlier.ts'

/** The results of earlier calls, by account, path, and body. Recipes contain no results, because results expire. */
type Outcomes = Readonly<Record<string, Made>>

const keyOf = ({ path, body }: EarlierCall) => JSON.stringify([viewedAccount(), path, body])

export function useEarlier({ draft, change, sampleUrl }: ReturnType<typeof useRecipe>, body: Record<string, unknown>) {
  const [outcomes, setOutcomes] = useState<Outcomes>({})
  const needed = neededCalls(draft.earlier, body)
  const given = givenBy(draft.earlier, outcomes)
  const making = useMutation({
    mutationFn: async (): Promise<Given> => {
      const sources: Record<string, string> = {}
      for (const earlier of needed) {
        const resolved = { ...earlier, body: withGiven(earlier.body, sources) }
        const known = outcomes[keyOf(resolved)]
        const made = known !== undefined && !hasPassed(known.until) ? known : await makeEarlier(resolved)
        setOutcomes((now) => ({ ...now, [keyOf(resolved)]: made }))
        sources[earlier.gives] = made.source
      }
      return sources
    },
  })
  const anyImage = sampleUrl('logo.png')
  return {
    calls: draft.earlier,
    needed,
    pending: needed.filter(({ gives }) => given[gives] === undefined),
    isMaking: making.isPending,
    error: making.error,
    make: async (): Promise<Given> => (needed.length === 0 ? {} : await making.mutateAsync()),
    /** Returns the result of an earlier call if `source` names the call, otherwise `source`. */
    resolve: (source: string): string => withGiven(source, given),
    /** Adds the call of a text watermark, or replaces the call `name`. Returns the name of the call. */
    keepText: (text: Record<string, unknown>, made: Made, name = freeName(draft.earlier)): string => {
      const drawn = { gives: name, path: STAMPS, body: text }
      setOutcomes((now) => ({ ...now, [keyOf(drawn)]: made }))
      change((now) => ({ earlier: [...now.earlier.filter(({ gives }) => gives !== name), drawn] }))
      return name
    },
    /** The body for the price estimate, in which a sample image replaces each result of an earlier call. */
    priced: withGiven(body, Object.fromEntries(needed.map(({ gives }) => [gives, anyImage]))),
  }
}

/** Returns the results by name. Omits expired results, and calls that have not run yet. */
function givenBy(calls: readonly EarlierCall[], outcomes: Outcomes): Given {
  return calls.reduce<Given>((given, earlier) => {
    const known = outcomes[keyOf({ ...earlier, body: withGiven(earlier.body, given) })]
    return known === undefined || hasPassed(known.until) ? given : { ...given, [earlier.gives]: known.source }
  }, {})
}
