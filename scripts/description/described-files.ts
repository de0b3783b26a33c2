import { describeApi } from './document.ts'
import { errorsMarkdown } from './errors-page.ts'
import { referenceMarkdown } from './reference-page.ts'

/** Returns the generated files that describe the API, by path. The server serves these files. */
export const describedFiles = (): Record<string, string> => ({
  'docs/openapi.json': `${JSON.stringify(describeApi(), null, 2)}\n`,
  'docs/errors.md': errorsMarkdown(),
  'docs/reference/calls.md': referenceMarkdown(),
})
