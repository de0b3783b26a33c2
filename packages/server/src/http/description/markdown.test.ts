import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson } from './markdown.ts'

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
