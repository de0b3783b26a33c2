import type { METADATA_OF_OUTPUTS } from '@mediamill/contract/domain/media'

export type Kept = Exclude<(typeof METADATA_OF_OUTPUTS)[number], 'none'>
