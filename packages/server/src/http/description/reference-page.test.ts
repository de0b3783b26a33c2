import assert from 'node:assert/strict'
import { test } from 'node:test'
import { referenceMarkdown } from './reference-page.ts'

const commands = [...referenceMarkdown(false).matchAll(/```sh\n(curl [^]*?)\n```/g)].map(([, command = '']) => command)

test('in the API reference, every example call with a JSON body has a Content-Type header', () => {
  const withJson = commands.filter((command) => / -d '[{[]/.test(command.replaceAll(/\\\n */g, '')))
  assert.ok(withJson.length > 10, `${withJson.length} calls`)
  for (const command of withJson) assert.match(command, /-H 'Content-Type: application\/json'/)
  const [process] = commands.filter((command) => command.includes('/v1/images/process'))
  assert.match(process ?? '', /-H 'Content-Type: application\/json' \\\n  -d '\{\n  "source": /)
})
