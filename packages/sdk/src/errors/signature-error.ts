import { MediamillError } from './mediamill-error.ts'

/** A webhook is not from the service, was changed, or is too old. */
export class SignatureError extends MediamillError {
  override name = 'SignatureError'
}
