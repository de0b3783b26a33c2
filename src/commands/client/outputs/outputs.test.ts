import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Input } from '../inputs/input.ts'
import { saveNew } from './save-new.ts'
import { checkNames, formatOfTarget, parseTarget, pathOf } from './target.ts'

const folder = await mkdtemp(join(tmpdir(), 'mediamill-outputs-'))
after(() => rm(folder, { recursive: true }))

const input = (name: string, below = ''): Input => ({
  kind: 'file',
  label: name,
  path: name,
  name: name.split('.')[0] ?? '',
  ending: name.split('.')[1] ?? '',
  folder: below,
})
const one = [input('photo.heic')]
const two = [input('photo.heic', 'deep'), input('other.png')]
const place = async (out: string | undefined, inputs: readonly Input[]) => {
  const target = await parseTarget(out, inputs)
  return inputs.map((each, index) => pathOf(target, each, index, 'webp'))
}

test('a result goes into a file, a folder with its folders, by a template, or under a new name', async () => {
  assert.deepEqual(await place('small.webp', one), ['small.webp'])
  assert.deepEqual(await place('out/', two), [join('out', 'deep', 'photo.webp'), join('out', 'other.webp')])
  assert.deepEqual(await place(folder, one), [join(folder, 'photo.webp')])
  assert.deepEqual(await place('t/{dir}/{name}-{index}-{source_ext}.{ext}', two), [
    't/deep/photo-1-heic.webp',
    't/./other-2-png.webp',
  ])
  assert.deepEqual(await place(undefined, one), ['photo-result.webp'])
  assert.deepEqual(await place('-', one), [undefined])
})

test('the ending of the target is the format that is asked for', async () => {
  assert.equal(formatOfTarget(await parseTarget('small.WEBP', one)), 'webp')
  assert.equal(formatOfTarget(await parseTarget('{name}.png', two)), 'png')
  assert.equal(formatOfTarget(await parseTarget('{name}.{ext}', two)), undefined)
})

test('several results never become one file', async () => {
  await assert.rejects(parseTarget('small.webp', two), { name: 'UsageError', message: /2 results do not fit into one/ })
  await assert.rejects(parseTarget('-', two), { name: 'UsageError' })
  await assert.rejects(parseTarget('{nmae}.png', one), /there is no \{nmae\}; there are \{name\}/)
  assert.throws(
    () =>
      checkNames([
        { label: 'a.jpg', path: 'out/a.jpg' },
        { label: 'a.heic', path: 'out/a.jpg' },
      ]),
    /a\.jpg and a\.heic would both become out\/a\.jpg/,
  )
})

test('a file that is there stays as it is without --force, also when it came while ours was made', async () => {
  const path = join(folder, 'there.txt')
  await assert.rejects(
    saveNew(path, false, async (draft) => {
      await writeFile(draft, 'ours')
      await writeFile(path, 'theirs')
    }),
    { name: 'FileExistsError', message: /--force/ },
  )
  assert.equal(await readFile(path, 'utf8'), 'theirs')
  await saveNew(path, true, (draft) => writeFile(draft, 'ours'))
  assert.equal(await readFile(path, 'utf8'), 'ours')
})

test('nothing of a file that was not finished is left, and its name stays free', async () => {
  const path = join(folder, 'deep/half.txt')
  await assert.rejects(
    saveNew(path, false, async (draft) => {
      await writeFile(draft, 'half')
      throw new Error('stopped')
    }),
    /stopped/,
  )
  assert.deepEqual(await readdir(join(folder, 'deep')), [])
})
