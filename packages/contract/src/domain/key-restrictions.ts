/**
 * The restrictions of a key, as responses show them and the database stores them. A missing field does not restrict the
 * key.
 */
export type KeyRestrictions = {
  /** The calls that the key can make: names from `restrictableCalls`. */
  endpoints?: string[] | undefined
  /**
   * `true`: requests must run a template. A list: the templates that requests can run, such as `product` or
   * `product@3`.
   */
  templates_only?: boolean | string[] | undefined
  /** Whether the key can only use requests of its own mode, test or live. */
  mode_only?: boolean | undefined
  /** Whether the key can create requests, but cannot read them later. */
  create_only?: boolean | undefined
  /** The origins of the web pages that can use the key. */
  origins?: string[] | undefined
  /**
   * The maximum spend per UTC day in dollars, such as `5.00`. Counts the prices of the key's requests, and the amounts
   * on hold for open requests.
   */
  daily_spend?: string | undefined
  expires_at?: string | undefined
}

/** The names of calls besides the processing endpoints. */
const OTHER_CALLS = ['uploads', 'stamps', 'templates', 'requests', 'events', 'operations', 'account', 'usage'] as const

/** Returns every name that the `endpoints` of a key can contain. */
export const restrictableCalls = (endpoints: readonly { name: string }[]): string[] => [
  ...endpoints.map(({ name }) => name),
  ...OTHER_CALLS,
]

/**
 * Returns the name of a route's calls for `endpoints`: `images/process` for `/v1/images/process/estimate`, or `uploads`
 * for `/v1/uploads/{id}`.
 */
export function callName(path: string): string {
  const [, , first = '', second = ''] = path.split('/')
  return ['images', 'videos', 'documents'].includes(first) ? `${first}/${second}` : first
}

/**
 * Returns whether a key can read only its own requests. This applies if the key is `create_only`, or if its `endpoints`
 * do not contain `requests`.
 */
export const readsOnlyOwn = ({ endpoints, create_only: isCreateOnly }: KeyRestrictions): boolean =>
  isCreateOnly === true || endpoints?.includes('requests') === false
