import { MediamillError } from './mediamill-error.ts'

/** A downloaded file is not the one that the request made. */
export class IntegrityError extends MediamillError {
  override name = 'IntegrityError'
}
