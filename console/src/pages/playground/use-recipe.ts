import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { useSession } from '../../api/queries/session.ts'
import { neededCalls } from './earlier/earlier-call.ts'
import type { PlaygroundEndpoint } from './endpoints.ts'
import { endpointNamed } from './endpoints.ts'
import type { Operation } from './operation.ts'
import { startOf } from './operations/start-of.ts'
import type { Recipe } from './recipe.ts'
import { readRecipe } from './recipe.ts'
import type { Travel } from './use-late-callback.ts'
import { keyOf, useLateCallback } from './use-late-callback.ts'

/** An operation in the draft. Its `id` stays the same when the user moves the operation. */
export type Step = { id: number; operation: Operation }
type Draft = Required<Pick<Recipe, 'endpoint' | 'source' | 'outputs' | 'numbers' | 'earlier'>> & {
  format: string | undefined
  level: string | undefined
  steps: Step[]
}

/** Drafts of history entries that the user left with Back or Forward before the URL was updated. */
const leftDrafts = new Map<string, Draft>()

let lastStep = 0

export const stepOf = (operation: Operation): Step => {
  lastStep += 1
  return { id: lastStep, operation }
}

/** Returns the draft of a recipe. Stores the draft in the URL, so that links and reloads restore it. */
export function useRecipe() {
  // `useSearch` also returns the fields of the URL that the validation removed.
  const search = readRecipe(useSearch({ from: '/playground' }))
  const { service } = useSession()
  const navigate = useNavigate({ from: '/playground' })
  const sampleUrl = useCallback((name: string) => `${service.base_url}/docs/samples/${name}`, [service.base_url])

  const { history } = useRouter()
  const [entry] = useState(() => keyOf(history.location.state))
  const [draft, setDraft] = useState<Draft>(() => leftDrafts.get(entry) ?? draftOf(search, sampleUrl))
  const address = textOf(search)
  const [known, setKnown] = useState({ address, kept: [address] })
  if (known.address !== address) {
    // A slow router may still report an older URL, so search all URLs that this page has set.
    const own = known.kept.indexOf(address)
    setKnown({ address, kept: own === -1 ? [address] : known.kept.slice(own) })
    // The URL is from a link or the Back button.
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
  // Browsers limit how often a page changes its URL, so the page updates the URL when the user pauses.
  const keep = useLateCallback(
    (next: Draft) => {
      const recipe = recipeFrom(next)
      leftDrafts.delete(keyOf(history.location.state))
      setKnown((now) => ({ ...now, kept: [...now.kept, textOf(recipe)] }))
      const search = (now: { account?: number | undefined }) => ({ account: now.account, ...recipe })
      // Do not let a blocker delay this navigation, because the user may be leaving the page.
      void navigate({ search, replace: true, ignoreBlocker: true, resetScroll: false })
    },
    300,
    travel,
  )
  // The user returned to a draft whose URL was not updated yet.
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
  return { draft, change, sampleUrl }
}

/** Converts a recipe to text. Equal recipes have equal text. */
const textOf = (recipe: object) => JSON.stringify(readRecipe(Object.fromEntries(Object.entries(recipe))))

/** Returns the draft for the recipe in a URL. Without a recipe, uses the sample file of the endpoint. */
function draftOf(search: Recipe, sampleUrl: (name: string) => string): Draft {
  const endpoint = endpointNamed(search.endpoint)
  const operations = search.operations ?? firstOperations(endpoint)
  return {
    endpoint: endpoint.name,
    source: search.source ?? sampleUrl(endpoint.sample),
    format: search.format,
    level: search.level,
    outputs: search.outputs ?? [],
    numbers: search.numbers ?? firstNumbers(endpoint.name),
    steps: operations.map(stepOf),
    earlier: search.earlier ?? [],
  }
}

export function recipeFrom({ steps, format, level, outputs, earlier, ...others }: Draft): Recipe {
  const operations = steps.map(({ operation }) => operation)
  const needed = neededCalls(earlier, [others.source, operations, outputs])
  return {
    ...others,
    ...(needed.length === 0 ? {} : { earlier: needed }),
    ...(format === undefined ? {} : { format }),
    ...(level === undefined ? {} : { level }),
    ...(outputs.length === 0 ? {} : { outputs }),
    operations,
  }
}

export const firstNumbers = (endpoint: string): Record<string, number> =>
  Object.fromEntries(
    endpointNamed(endpoint)
      .numbers.filter(({ required }) => required)
      .map(({ name, minimum }) => [name, minimum]),
  )

/** Returns the operations of a new draft. Most photos are large, and many are stored sideways. */
const firstOperations = ({ medium, takesOperations }: PlaygroundEndpoint): Operation[] =>
  medium === 'image' && takesOperations ? [startOf('orient', ''), startOf('resize', '')] : []
