/** The restrictions of a key, as they are shown and stored. A missing field does not restrict the key. */
export type KeyRestrictions = {
  /** The calls that the key can make: names of `RESTRICTABLE`. */
  endpoints?: string[] | undefined
  /** Whether requests must run a template, or the templates that they can run: `product`, or `product@3`. */
  templates_only?: boolean | string[] | undefined
  /** Whether the key can only use requests of its own mode. */
  mode_only?: boolean | undefined
  /** Whether the key can create requests, but not read them later. */
  create_only?: boolean | undefined
  /** The origins of the web pages that can use the key. */
  origins?: string[] | undefined
  /** Dollars per UTC day, such as `5.00`: the sum of the prices of the key's requests, and of the holds of open requests. */
  daily_spend?: string | undefined
  expires_at?: string | undefined
}

/** The names of calls besides the processing endpoints. */
const OTHER_CALLS = ['uploads', 'stamps', 'templates', 'requests', 'events', 'operations', 'account', 'usage'] as const

/** Returns every name that `endpoints` of a key can have. */
export const restrictableCalls = (endpoints: readonly { name: string }[]): string[] => [
  ...endpoints.map(({ name }) => name),
  ...OTHER_CALLS,
]

/** Returns the name of the calls of a route: `images/process` for `/v1/images/process/estimate`, `uploads`, … */
export function callName(path: string): string {
  const [, , first = '', second = ''] = path.split('/')
  return ['images', 'videos', 'documents'].includes(first) ? `${first}/${second}` : first
}

/** Returns whether a key finds no requests of other keys: it is `create_only`, or has `endpoints` without `requests`. */
export const readsOnlyOwn = ({ endpoints, create_only: isCreateOnly }: KeyRestrictions): boolean =>
  isCreateOnly === true || endpoints?.includes('requests') === false
