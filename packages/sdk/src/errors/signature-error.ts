import { MediamillError } from './mediamill-error.ts'

/** A webhook is not from the service, was changed, or has a timestamp outside the tolerance. */
export class SignatureError extends MediamillError {
  override name = 'SignatureError'
}
