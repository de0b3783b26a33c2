import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { useSession } from '../../api/queries/session.ts'
import { neededCalls } from './earlier/earlier-call.ts'
import type { PlaygroundEndpoint } from './endpoints.ts'
import { endpointNamed } from './endpoints.ts'
import { startOf } from './operations/start-of.ts'
import type { Operation, Recipe } from './recipe.ts'
import { readRecipe } from './recipe.ts'
import type { Travel } from './use-late-callback.ts'
import { keyOf, useLateCallback } from './use-late-callback.ts'

/** An operation in the list; `id` is only for the page, to know it again after it was moved. */
export type Step = { id: number; operation: Operation }
export type Draft = Required<Pick<Recipe, 'endpoint' | 'source' | 'numbers' | 'earlier'>> & {
  format: string | undefined
  steps: Step[]
}

/** Drafts whose entry of the history was left, by the way back, before the address had them; by the entry's key. */
const leftDrafts = new Map<string, Draft>()

let lastStep = 0

/** An operation with a number of its own. */
const stepOf = (operation: Operation): Step => {
  lastStep += 1
  return { id: lastStep, operation }
}

/** What is being put together. It is kept in the address, so that a link or a reload shows the same. */
export function useRecipe() {
  const search = useSearch({ from: '/playground' })
  const { service } = useSession()
  const navigate = useNavigate({ from: '/playground' })
  const sampleUrl = useCallback((name: string) => `${service.base_url}/docs/samples/${name}`, [service.base_url])

  const { history } = useRouter()
  const [entry] = useState(() => keyOf(history.location.state))
  const [draft, setDraft] = useState<Draft>(() => leftDrafts.get(entry) ?? draftOf(search, sampleUrl))
  const address = textOf(search)
  const [known, setKnown] = useState({ address, kept: [address] })
  if (known.address !== address) {
    // A slow router shows an address when later ones were kept already: it is still this page's own.
    const own = known.kept.indexOf(address)
    setKnown({ address, kept: own === -1 ? [address] : known.kept.slice(own) })
    // Not what was kept here: a link to this page on the page itself, or the way back.
    if (own === -1) setDraft(draftOf(search, sampleUrl))
  }
  const travel = useCallback(
    ({ from, to, missed, search: next }: Travel<[Draft]>) => {
      if (missed !== undefined) leftDrafts.set(from, missed[0])
      if (next === undefined) return
      const left = leftDrafts.get(to)
      if (left === undefined && missed === undefined) return
      setKnown((now) => ({ ...now, kept: [textOf(next)] }))
      setDraft(left ?? draftOf(readRecipe(next), sampleUrl))
    },
    [sampleUrl, setKnown],
  )
  // A browser takes only so many changes of its address in a while: it gets one when the typing pauses.
  const keep = useLateCallback(
    (next: Draft) => {
      const recipe = recipeFrom(next)
      leftDrafts.delete(keyOf(history.location.state))
      setKnown((now) => ({ ...now, kept: [...now.kept, textOf(recipe)] }))
      const search = (now: { account?: number | undefined }) => ({ account: now.account, ...recipe })
      // At once, for this may be the last moment before another page: a replacement asks no blocker.
      void navigate({ search, replace: true, ignoreBlocker: true, resetScroll: false })
    },
    300,
    travel,
  )
  // What was left before the address had it is written there now that its entry is back.
  useEffect(() => {
    if ([...leftDrafts.values()].includes(draft)) keep(draft)
  }, [draft, keep])
  const change = useCallback(
    (part: Partial<Draft> | ((now: Draft) => Partial<Draft>)) =>
      setDraft((now) => {
        const next = { ...now, ...(typeof part === 'function' ? part(now) : part) }
        keep(next)
        return next
      }),
    [keep],
  )
  return { draft, change, stepOf, sampleUrl }
}

/** A recipe as text that is the same for the same recipe. */
const textOf = (recipe: object) => JSON.stringify(readRecipe(Object.fromEntries(Object.entries(recipe))))

/** What is put together at an address; one without a recipe begins with the endpoint's sample. */
function draftOf(search: Recipe, sampleUrl: (name: string) => string): Draft {
  const endpoint = endpointNamed(search.endpoint)
  const operations = search.operations ?? firstOperations(endpoint)
  return {
    endpoint: endpoint.name,
    source: search.source ?? sampleUrl(endpoint.sample),
    format: search.format,
    numbers: search.numbers ?? firstNumbers(endpoint.name),
    steps: operations.map(stepOf),
    earlier: search.earlier ?? [],
  }
}

/** The recipe of a draft, without what only the page knows. */
export function recipeFrom({ steps, format, earlier, ...others }: Draft): Recipe {
  const operations = steps.map(({ operation }) => operation)
  const needed = neededCalls(earlier, [others.source, operations])
  return {
    ...others,
    ...(needed.length === 0 ? {} : { earlier: needed }),
    ...(format === undefined ? {} : { format }),
    operations,
  }
}

/** What the required numbers of an endpoint begin with. */
export const firstNumbers = (endpoint: string): Record<string, number> =>
  Object.fromEntries(
    endpointNamed(endpoint)
      .numbers.filter(({ required }) => required)
      .map(({ name, minimum }) => [name, minimum]),
  )

/** What a picture begins with: photos are stored on their side, and large. */
const firstOperations = ({ medium, takesOperations }: PlaygroundEndpoint): Operation[] =>
  medium === 'image' && takesOperations ? [startOf('orient', ''), startOf('resize', '')] : []
