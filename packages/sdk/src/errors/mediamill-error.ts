const BRAND: unique symbol = Symbol.for('@mediamill/sdk.error') as never

/** The base class of every error of this library. */
export class MediamillError extends Error {
  override name = 'MediamillError'
  /** Marks the errors of this library, so that `isMediamillError` also recognizes errors of a second loaded copy. */
  readonly [BRAND] = true
}

/** Returns whether an error is from this library. Unlike `instanceof`, this works even if several copies are loaded. */
export function isMediamillError(error: unknown): error is MediamillError {
  return typeof error === 'object' && error !== null && BRAND in error
}
