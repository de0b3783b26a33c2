const BRAND: unique symbol = Symbol.for('@mediamill/sdk.error') as never

/** What every error of this library extends. */
export class MediamillError extends Error {
  override name = 'MediamillError'
  /** Known to every copy of this library that a program has loaded. */
  readonly [BRAND] = true
}

/** Tells whether an error is of this library, of whichever copy that is loaded. */
export function isMediamillError(error: unknown): error is MediamillError {
  return typeof error === 'object' && error !== null && BRAND in error
}
