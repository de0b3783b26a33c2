import type { METADATA_OF_OUTPUTS } from '@mediamill/contract/endpoints/outputs'

export type Kept = Exclude<(typeof METADATA_OF_OUTPUTS)[number], 'none'>
