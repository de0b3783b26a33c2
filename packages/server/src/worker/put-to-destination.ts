import { workOf } from '@mediamill/contract/endpoints/work'
import type { EngineDone } from '@mediamill/engines/protocol/messages'
import { DOWNLOAD_MS } from '../outbound/fetch/download.ts'
import type { Claim } from '../requests/claim.ts'
import { openDestination } from '../requests/destination.ts'
import { traced } from '../telemetry/trace.ts'
import type { JobContext } from './job-context.ts'
import { putResult } from './put-result.ts'

/**
 * Puts a result to the destination that its call named, if it named one.
 *
 * Before the store, which takes the file away. A request whose file its destination did not take made none.
 */
export async function putToDestination(
  context: JobContext,
  { request, destination: sealed }: Claim,
  done: EngineDone,
  signal: AbortSignal,
): Promise<void> {
  const [file] = done.files
  if (sealed === null || file === undefined) return
  const destination = openDestination(context.secretKey, request.accountId, sealed)
  const { network, log, destinationTried: counted } = context
  const deadlineMs = DOWNLOAD_MS[workOf(request).endpoint.media]
  const options = { network, signal, log, deadlineMs, counted }
  await traced(context.span, 'destination', () => putResult(destination, file.path, options))
}
