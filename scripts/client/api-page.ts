import { METHODS, NO_METHOD } from './methods.ts'

type Description = { paths: Record<string, Record<string, { operationId: string; summary: string }>> }

/** Returns the text of packages/sdk/api.md: every method, in the order of the OpenAPI document. */
export function apiPage(description: Description): string {
  const rows = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, { operationId, summary }]) => {
      const method = METHODS[operationId]
      const reason = NO_METHOD[operationId]
      if (reason !== undefined) return `| none: ${reason} | ${summary} | \`${verb.toUpperCase()} ${path}\` | |`
      if (method === undefined) throw new Error(`scripts/client/methods.ts has no method for ${operationId}`)
      return `| \`${method.name}\` | ${summary} | \`${verb.toUpperCase()} ${path}\` | \`${method.gives}\` |`.replaceAll(
        / \| (?=\w+Upload`| announced)/g,
        ' \\| ',
      )
    }),
  )
  return `${HEAD}\n${rows.join('\n')}\n${FOOT}`
}

const HEAD = `# Methods of \`@mediamill/sdk\`
The methods of the library, with the call and the result of each method. The script scripts/write-client-api.ts writes this page. \`options\` are \`signal\`, \`timeoutMs\`, \`maxRetries\`, and, for methods that start work, \`idempotencyKey\`.
If a method returns a promise, the promise also has \`withResponse()\`.

| Method | Purpose | Call | Result |
| --- | --- | --- | --- |`

const FOOT = `
| Other methods and functions | Result |
| --- | --- |
| \`StartedRequest.wait(options?)\` | the finished request: \`timeoutMs\`, \`signal\`, \`onSignal\`, \`onProgress\` |
| \`requests.wait(id, options?)\` | the finished request of an earlier call |
| \`events.follow(query?, options?)\` | each event as it happens; the loop does not end |
| \`requests.from(request)\` | the request of a webhook event, with methods for its files |
| \`result.files[0].save(path)\`, \`.bytes()\`, \`.blob()\`, \`.stream()\` | the file, after a check of its size and SHA-256 |
| \`openFile(path)\` | a local file, for \`source\` and \`image_url\` |
| \`isMediamillError(error)\` | whether this library, or another copy of it, created the error |
| \`unwrap(body, headers, secret, options?)\` of \`/webhooks\` | the event of a webhook, after a check of its signature |
| \`generateTestHeaders({ body, secret })\` of \`/webhooks\` | the headers that the service would send with the body |
`
