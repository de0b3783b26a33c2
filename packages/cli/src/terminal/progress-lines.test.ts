import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { showProgressLines } from './progress-lines.ts'

function streamOf(isTTY: boolean) {
  let text = ''
  const stream = new Writable({
    decodeStrings: false,
    write(more: string, _encoding, done) {
      text += more
      done()
    },
  })
  Object.assign(stream, { isTTY, columns: 80, rows: 24, getColorDepth: () => 1 })
  // Node creates a `WriteStream` only for a real terminal. `showProgressLines` uses no more than the fields above.
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => text }
}

test('without a terminal, each finished task prints one line, with its number if there are several tasks', () => {
  const several = streamOf(false)
  using lines = showProgressLines(several.stream, 2)
  lines.update('a.jpg', 'uploading 5 %')
  lines.end('a.jpg', 'done')
  lines.end('b.jpg', 'failed')
  assert.equal(several.text(), '1/2 a.jpg: done\n2/2 b.jpg: failed\n')
  const single = streamOf(false)
  using line = showProgressLines(single.stream, 1)
  line.end('a.jpg', 'done')
  assert.equal(single.text(), 'a.jpg: done\n')
})

test('a terminal shows the running tasks and the number of finished tasks', () => {
  const { stream, text } = streamOf(true)
  using lines = showProgressLines(stream, 2)
  lines.update('a.jpg', 'uploading')
  lines.update('b.jpg', 'uploading')
  lines.end('a.jpg', 'done')
  lines.writeAbove(() => stream.write('between'))
  assert.match(text(), /a\.jpg: done\n/)
  assert.match(text(), /between[^]*b\.jpg: uploading 0 s\n1 of 2 done$/)
})
