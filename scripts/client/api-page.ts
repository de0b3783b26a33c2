import { METHODS, NO_METHOD } from './methods.ts'

/** The parts of an OpenAPI document that the page of methods shows. */
type Description = { paths: Record<string, Record<string, { operationId: string; summary: string }>> }

/** Returns the text of packages/sdk/api.md: every method with its call and its result, in the order of the OpenAPI document. */
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
Every method of the library, and the call that it makes. Written by scripts/write-client-api.ts. \`options\` are \`signal\`, \`timeoutMs\`, \`maxRetries\`, and \`idempotencyKey\` where work starts.
Everything that a method gives is a promise that has \`withResponse()\` too.

| Method | | Calls | Gives |
| --- | --- | --- | --- |`

const FOOT = `
| Besides | |
| --- | --- |
| \`StartedRequest.wait(options?)\` | the finished request: \`timeoutMs\`, \`signal\`, \`onSignal\`, \`onProgress\` |
| \`requests.wait(id, options?)\` | the same of a request that was made before |
| \`events.follow(query?, options?)\` | events as they happen, without an end |
| \`requests.from(request)\` | a request of a webhook, with the methods of its files |
| \`result.files[0].save(path)\`, \`.bytes()\`, \`.blob()\`, \`.stream()\` | the file, checked by size and SHA-256 |
| \`openFile(path)\` | a file of this machine, for \`source\` and \`image_url\` |
| \`isMediamillError(error)\` | whether an error is of this library, of whichever copy |
| \`unwrap(body, headers, secret, options?)\` of \`/webhooks\` | the event of a webhook, verified |
| \`generateTestHeaders({ body, secret })\` of \`/webhooks\` | the headers that the service would send with it |
`
