export type KeyRestrictions = {
  /** The calls that the key can make: names from `restrictableCalls`. */
  endpoints?: string[] | undefined
  /** Whether requests must run a template. A list allows only its templates, such as `product` or `product@3`. */
  templates_only?: boolean | string[] | undefined
  mode_only?: boolean | undefined
  /** Whether the key can create requests, but cannot read them later. */
  create_only?: boolean | undefined
  origins?: string[] | undefined
  /** Client addresses and CIDR blocks, such as `203.0.113.0/24`. */
  addresses?: string[] | undefined
  /** The maximum spend per UTC day in dollars, such as `5.00`. Amounts on hold count as spent. */
  daily_spend?: string | undefined
  expires_at?: string | undefined
}

const OTHER_CALLS = ['uploads', 'stamps', 'templates', 'requests', 'events', 'operations', 'account', 'usage'] as const

export const restrictableCalls = (endpoints: readonly { name: string }[]): string[] => [
  ...endpoints.map(({ name }) => name),
  ...OTHER_CALLS,
]

/** Returns the name of a call in `endpoints`: `uploads`, or `images/process` (the same for its estimates). */
export function callName(path: string): string {
  const [, , first = '', second = ''] = path.split('/')
  return ['images', 'videos', 'documents'].includes(first) ? `${first}/${second}` : first
}

export const readsOnlyOwn = ({ endpoints, create_only: isCreateOnly }: KeyRestrictions): boolean =>
  isCreateOnly === true || endpoints?.includes('requests') === false
