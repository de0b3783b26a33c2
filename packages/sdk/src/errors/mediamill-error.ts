const BRAND: unique symbol = Symbol.for('@mediamill/sdk.error') as never

/** The base class of every error of this library. */
export class MediamillError extends Error {
  override name = 'MediamillError'
  /** Marks the errors of every copy of this library that a program has loaded. */
  readonly [BRAND] = true
}

/** Reports whether an error is from this library. A program may have loaded several copies. */
export function isMediamillError(error: unknown): error is MediamillError {
  return typeof error === 'object' && error !== null && BRAND in error
}
