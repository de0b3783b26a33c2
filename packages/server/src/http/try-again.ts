import { formatCount } from '@mediamill/contract/lib/format-text'

export const tryAgainIn = (seconds: number): string => `Try again in ${formatCount(seconds, 'second')}.`
