import { MediamillError } from './mediamill-error.ts'

/** The bytes of a download are not the bytes of the result. */
export class IntegrityError extends MediamillError {
  override name = 'IntegrityError'
}
