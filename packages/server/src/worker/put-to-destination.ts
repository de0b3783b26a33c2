import { failureOfOutput } from '@mediamill/contract/domain/errors'
import { workOf } from '@mediamill/contract/endpoints/work'
import { DOWNLOAD_MS } from '../outbound/fetch/download.ts'
import type { Claim } from '../requests/claim.ts'
import { openDestinations } from '../requests/destination.ts'
import { traced } from '../telemetry/trace.ts'
import type { JobContext } from './job-context.ts'
import type { MadeFile } from './made-files.ts'
import { putResult } from './put-result.ts'

/** Uploads the result files to the client's URLs. If an upload fails, files that were already uploaded stay there. */
export async function putToDestinations(
  context: JobContext,
  { request, destination: sealed }: Claim,
  files: readonly MadeFile[],
  signal: AbortSignal,
): Promise<void> {
  if (sealed === null) return
  const stop = new AbortController()
  const { network, log, destinationAttempted: counted } = context
  const deadlineMs = DOWNLOAD_MS[workOf(request).endpoint.media]
  const options = { network, signal: AbortSignal.any([signal, stop.signal]), log, deadlineMs, counted }
  const put = async ({ file: index, ...destination }: ReturnType<typeof openDestinations>[number]) => {
    const file = files[index]
    if (file === undefined) return
    try {
      await putResult(destination, file.path, options)
    } catch (error) {
      // The first error aborts the other uploads. Their errors are ignored.
      stop.abort(file.name === undefined ? error : failureOfOutput(file.name, error))
    }
  }
  const destinations = openDestinations(context.secretKey, request.accountId, sealed)
  await traced(context.span, 'destination', () => Promise.all(destinations.map(put)))
  signal.throwIfAborted()
  stop.signal.throwIfAborted()
}
