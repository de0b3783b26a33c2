import { useNavigate, useSearch } from '@tanstack/react-router'
import { textOf } from '../components/text-of.ts'

type Values = Record<string, string>

/**
 * Choices of a page that stand in its address, so that a link, a reload and the way back keep them.
 *
 * Those that are as they begin are left out of it. What is typed changes the address in place; each other choice is a step
 * that the browser's button for going back takes back.
 */
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
    // Which page it is, is known only where it runs: no route's own names are checked here.
    const over = (now: object) => ({ ...now, ...Object.fromEntries(next) })
    void navigate({ to: '.', search: over as never, replace: typed, resetScroll: false })
  }
  return [values, set] as const
}
