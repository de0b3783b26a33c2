/**
 * Puts many small files through the client's command line while the service is killed twice, and counts.
 *
 *     node_modules/.bin/node lab/kill-batch.ts 500
 */
import { proveBatch } from './support/kill-batch.ts'

const count = Number(process.argv[2] ?? '500')
const { results, charges, requests, seconds } = await proveBatch(count)
process.stdout.write(`${count} files: ${results} results, ${charges} charges, ${requests} requests, in ${seconds} s\n`)
process.exit(results === count && charges === count ? 0 : 1)
