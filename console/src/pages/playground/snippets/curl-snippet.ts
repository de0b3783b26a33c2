import type { Snippet } from './snippet.ts'

/** The call for curl, with the key from the environment. */
export function curlSnippet({ baseUrl, endpoint, body }: Snippet): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)
  return [
    `curl -s ${baseUrl}/v1/${endpoint} \\`,
    '  -H "Authorization: Bearer $MEDIAMILL_API_KEY" \\',
    "  -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\",
    `  -d '${json}'`,
  ].join('\n')
}
