import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson, referenceMarkdown } from './reference-page.ts'

const commands = [...referenceMarkdown(false).matchAll(/```sh\n(curl [^]*?)\n```/g)].map(([, command = '']) => command)

test('JSON on a page has a line for each field, and short objects and lists on one line', () => {
  const long = 'x'.repeat(58)
  assert.equal(
    formatJson({ id: 1, files: [{ url: long }], price: { amount: '0.002' }, error: null, tags: [] }),
    `{
  "id": 1,
  "files": [
    {
      "url": "${long}"
    }
  ],
  "price": {"amount": "0.002"},
  "error": null,
  "tags": []
}`,
  )
})

test('in the API reference, every example call with a JSON body has a Content-Type header', () => {
  const withJson = commands.filter((command) => / -d '[{[]/.test(command.replaceAll(/\\\n */g, '')))
  assert.ok(withJson.length > 10, `${withJson.length} calls`)
  for (const command of withJson) assert.match(command, /-H 'Content-Type: application\/json'/)
  const [process] = commands.filter((command) => command.includes('/v1/images/process'))
  assert.match(process ?? '', /-H 'Content-Type: application\/json' \\\n  -d '\{\n  "source": /)
})
