import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { viewedAccount } from '../../../api/viewed-account.ts'
import { hasPassed } from '../../../components/format.ts'
import type { useRecipe } from '../use-recipe.ts'
import type { EarlierCall, EarlierResults } from './earlier-call.ts'
import { freeName, insertResults, neededCalls, STAMPS } from './earlier-call.ts'
import type { EarlierResult } from './run-earlier-call.ts'
import { runEarlierCall } from './run-earlier-call.ts'

/** The results of earlier calls, by account, path, and body. Recipes contain no results, because results expire. */
type Outcomes = Readonly<Record<string, EarlierResult>>

const keyOf = ({ path, body }: EarlierCall) => JSON.stringify([viewedAccount(), path, body])

export function useEarlier({ draft, change, sampleUrl }: ReturnType<typeof useRecipe>, body: Record<string, unknown>) {
  const [outcomes, setOutcomes] = useState<Outcomes>({})
  const needed = neededCalls(draft.earlier, body)
  const results = resultsOf(draft.earlier, outcomes)
  const running = useMutation({
    mutationFn: async (): Promise<EarlierResults> => {
      const sources: Record<string, string> = {}
      for (const earlier of needed) {
        const resolved = { ...earlier, body: insertResults(earlier.body, sources) }
        const earlierResult = outcomes[keyOf(resolved)]
        const result =
          earlierResult !== undefined && !hasPassed(earlierResult.expiresAt)
            ? earlierResult
            : await runEarlierCall(resolved)
        setOutcomes((now) => ({ ...now, [keyOf(resolved)]: result }))
        sources[earlier.variable] = result.source
      }
      return sources
    },
  })
  const anyImage = sampleUrl('logo.png')
  return {
    calls: draft.earlier,
    needed,
    pending: needed.filter(({ variable }) => results[variable] === undefined),
    isRunning: running.isPending,
    error: running.error,
    run: async (): Promise<EarlierResults> => (needed.length === 0 ? {} : await running.mutateAsync()),
    /** Returns the result of an earlier call if `source` names the call, otherwise `source`. */
    resolve: (source: string): string => insertResults(source, results),
    /** Adds the call of a text watermark, or replaces the call `name`. Returns the name of the call. */
    saveText: (text: Record<string, unknown>, result: EarlierResult, name = freeName(draft.earlier)): string => {
      const textCall = { variable: name, path: STAMPS, body: text }
      setOutcomes((now) => ({ ...now, [keyOf(textCall)]: result }))
      change((now) => ({ earlier: [...now.earlier.filter(({ variable }) => variable !== name), textCall] }))
      return name
    },
    /** The body for the price estimate, in which a sample image replaces each result of an earlier call. */
    priced: insertResults(body, Object.fromEntries(needed.map(({ variable }) => [variable, anyImage]))),
  }
}

/** Returns the results by name. Omits expired results, and calls that have not run yet. */
function resultsOf(calls: readonly EarlierCall[], outcomes: Outcomes): EarlierResults {
  return calls.reduce<EarlierResults>((results, earlier) => {
    const result = outcomes[keyOf({ ...earlier, body: insertResults(earlier.body, results) })]
    return result === undefined || hasPassed(result.expiresAt)
      ? results
      : { ...results, [earlier.variable]: result.source }
  }, {})
}
