/** Matches a `RequestFailure` in `assert.rejects` and `assert.throws`. */
export const failure = (message: RegExp | string, operation?: number) => ({
  name: 'RequestFailure',
  code: 'processing_failed',
  message,
  operation,
})
