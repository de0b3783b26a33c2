/** Runs `mediamill.batch` with a journal. Kills its process before API call KILL_AT, or after it if KILL_AFTER=yes. */
import { Mediamill, openFile } from '@mediamill/sdk/src/index'

const { MEDIAMILL_URL: baseUrl, MEDIAMILL_API_KEY: apiKey, JOURNAL: journal, KILL_AT, KILL_AFTER } = process.env
const paths = process.argv.slice(2)
let calls = 0

const fetch: typeof globalThis.fetch = async (...given) => {
  calls += 1
  const isLast = calls === Number(KILL_AT)
  if (isLast && KILL_AFTER !== 'yes') process.kill(process.pid, 'SIGKILL')
  const response = await globalThis.fetch(...given)
  if (isLast) process.kill(process.pid, 'SIGKILL')
  return response
}

const mediamill = new Mediamill({ baseUrl, apiKey, fetch })
const results = mediamill.batch(
  paths.map(openFile),
  { endpoint: 'images/process', operations: [{ type: 'resize', width: 4, height: 4 }] },
  { journal, concurrency: 1 },
)
for await (const one of results) {
  if (!one.ok) throw one.error
  process.stdout.write(`${paths[one.index]} ${one.request.id} ${one.request.result.files[0].sha256}\n`)
}
