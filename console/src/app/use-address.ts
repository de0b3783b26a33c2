import { useNavigate, useSearch } from '@tanstack/react-router'
import { textOf } from '../components/text-of.ts'

type Values = Record<string, string>

/** Stores a page's choices in its URL. While the user types, replaces the history entry. Other choices add an entry. */
export function useAddress<const Begin extends Values>(begin: Begin) {
  type Choices = { [Name in keyof Begin]: string }
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const values = Object.fromEntries(
    Object.entries(begin).map(([name, first]) => [name, search[name] === undefined ? first : textOf(search[name])]),
  ) as Choices
  const set = (change: Partial<Choices>, { typed = false } = {}) => {
    const next = Object.entries({ ...values, ...change }).map(([name, value]) => [
      name,
      value === begin[name] ? undefined : value,
    ])
    // The type of the parameters depends on the current page, which is known only at run time.
    const over = (now: object) => ({ ...now, ...Object.fromEntries(next) })
    void navigate({ to: '.', search: over as never, replace: typed, resetScroll: false })
  }
  return [values, set] as const
}
