import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathsIn, pathsWithNames } from './file-names.ts'

const files = [
  { name: 'large', format: 'jpg' },
  { name: 'small_1', format: 'webp' },
]

test('each file of a result is saved under its own name with the extension of its format', () => {
  assert.deepEqual(pathsWithNames(join('out', 'photo.jpg'), files), [
    join('out', 'photo-large.jpg'),
    join('out', 'photo-small_1.webp'),
  ])
  assert.deepEqual(pathsWithNames('my.photo', files), ['my.photo-large.jpg', 'my.photo-small_1.webp'])
  assert.deepEqual(pathsWithNames('17', [{ format: 'png' }, { format: 'png' }]), ['17-0.png', '17-1.png'])
})

test('the CLI rejects a result file name that leads to another folder', () => {
  for (const name of ['../up', 'a/b', 'a\\b', '.hidden', 'A', '', 'a\0', 'x'.repeat(65)]) {
    assert.throws(() => pathsWithNames('photo', [{ name, format: 'jpg' }]), { name: 'OperatorError' }, name)
  }
  assert.throws(() => pathsWithNames('photo', [{ name: 'a', format: '../../x' }]), { name: 'OperatorError' })
  assert.throws(() => pathsIn('out', '17', [{ format: 'x/../../../up' }]), { name: 'OperatorError' })
  assert.deepEqual(pathsIn('out', '17', [{ format: 'webp' }]), [join('out', '17.webp')])
  assert.deepEqual(pathsIn('out', '17', files), [join('out', '17-large.jpg'), join('out', '17-small_1.webp')])
})
