/** The restrictions of a key, as responses show them and the database stores them. */
export type KeyRestrictions = {
  /** The calls that the key can make: names from `restrictableCalls`. */
  endpoints?: string[] | undefined
  /** `true`: requests must run a template. A list: the allowed templates, such as `product` or `product@3`. */
  templates_only?: boolean | string[] | undefined
  mode_only?: boolean | undefined
  /** Whether the key can create requests, but cannot read them later. */
  create_only?: boolean | undefined
  origins?: string[] | undefined
  /** The maximum spend per UTC day in dollars, such as `5.00`, including the amounts on hold. */
  daily_spend?: string | undefined
  expires_at?: string | undefined
}

const OTHER_CALLS = ['uploads', 'stamps', 'templates', 'requests', 'events', 'operations', 'account', 'usage'] as const

export const restrictableCalls = (endpoints: readonly { name: string }[]): string[] => [
  ...endpoints.map(({ name }) => name),
  ...OTHER_CALLS,
]

/** Returns a route's name for `endpoints`: `images/process` for its estimate too, `uploads` for `/v1/uploads/{id}`. */
export function callName(path: string): string {
  const [, , first = '', second = ''] = path.split('/')
  return ['images', 'videos', 'documents'].includes(first) ? `${first}/${second}` : first
}

/** Whether a key reads only its own requests: if it is `create_only`, or its `endpoints` do not contain `requests`. */
export const readsOnlyOwn = ({ endpoints, create_only: isCreateOnly }: KeyRestrictions): boolean =>
  isCreateOnly === true || endpoints?.includes('requests') === false
