import type { METADATA_OF_OUTPUTS } from '@mediamill/contract/endpoints/outputs'

/** The metadata that an output keeps. */
export type Kept = Exclude<(typeof METADATA_OF_OUTPUTS)[number], 'none'>
