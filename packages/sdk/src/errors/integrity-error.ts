import { MediamillError } from './mediamill-error.ts'

/** The downloaded bytes do not match the size or the digest of the result. */
export class IntegrityError extends MediamillError {
  override name = 'IntegrityError'
}
