import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { sharedFolder } from '@mediamill/lab/support/shared'
import type { Input } from '../inputs/input.ts'
import { saveFile } from './save-file.ts'
import { checkNames, formatOfTarget, parseTarget, pathsOf } from './target.ts'

const folder = await sharedFolder('mediamill-outputs-')

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
const targetOf = async (out: string | undefined, inputs: readonly Input[]) => {
  const target = await parseTarget(out, inputs)
  return inputs.flatMap((each, index) => pathsOf(target, each, index, [{ format: 'webp' }]))
}

test('results go to the file, folder, or path pattern of -o, and to an unused name without -o', async () => {
  assert.deepEqual(await targetOf('small.webp', one), ['small.webp'])
  assert.deepEqual(await targetOf('out/', two), [join('out', 'deep', 'photo.webp'), join('out', 'other.webp')])
  assert.deepEqual(await targetOf(folder, one), [join(folder, 'photo.webp')])
  assert.deepEqual(await targetOf('t/{dir}/{name}-{index}-{source_ext}.{ext}', two), [
    't/deep/photo-1-heic.webp',
    't/./other-2-png.webp',
  ])
  assert.deepEqual(await targetOf(undefined, one), ['photo-result.webp'])
  assert.deepEqual(await targetOf('-', one), [])
})

test('if a result has several files, each path contains the name of its file', async () => {
  const files = [
    { name: 'large', format: 'jpg' },
    { name: 'small', format: 'webp' },
  ]
  const several = async (out: string | undefined) => pathsOf(await parseTarget(out, one), input('photo.heic'), 0, files)
  assert.deepEqual(await several(undefined), ['photo-large.jpg', 'photo-small.webp'])
  assert.deepEqual(await several('chair.webp'), ['chair-large.jpg', 'chair-small.webp'])
  assert.deepEqual(await several('out/'), [join('out', 'photo-large.jpg'), join('out', 'photo-small.webp')])
  assert.deepEqual(await several('t/{index}.{ext}'), [join('t', '1-large.jpg'), join('t', '1-small.webp')])
  assert.deepEqual(await several('{output}/{name}.{ext}'), ['large/photo.jpg', 'small/photo.webp'])
  const [only] = files.slice(1)
  assert.deepEqual(pathsOf({ kind: 'file', path: 'x.webp' }, input('photo.heic'), 0, only ? [only] : []), ['x.webp'])
})

test('the name or format of a result file never leads to another folder', async () => {
  const hostile = '../../../up'
  for (const out of [undefined, 'out/', 't/{name}.{ext}', '{output}/{name}.{ext}']) {
    const target = await parseTarget(out, one)
    const save = (file: { name: string; format: string }) => () => pathsOf(target, input('photo.heic'), 0, [file])
    assert.throws(save({ name: 'small', format: `x/${hostile}` }), { name: 'OperatorError' }, out)
    if (out?.includes('{output}')) assert.throws(save({ name: hostile, format: 'jpg' }), { name: 'OperatorError' })
  }
})

test('the extension of the -o path selects the output format', async () => {
  assert.equal(formatOfTarget(await parseTarget('small.WEBP', one)), 'webp')
  assert.equal(formatOfTarget(await parseTarget('{name}.png', two)), 'png')
  assert.equal(formatOfTarget(await parseTarget('{name}.{ext}', two)), undefined)
  assert.equal(formatOfTarget(await parseTarget('{name}-{output}.{source_ext}', two)), undefined)
})

test('the command rejects one -o file for several results', async () => {
  await assert.rejects(parseTarget('small.webp', two), {
    name: 'UsageError',
    message: /cannot write 2 results to one file/,
  })
  await assert.rejects(parseTarget('-', two), { name: 'UsageError' })
  await assert.rejects(parseTarget('{nmae}.png', one), /unknown placeholder \{nmae\}\. Use \{name\}/)
  assert.throws(
    () =>
      checkNames([
        { label: 'a.jpg', path: 'out/a.jpg' },
        { label: 'a.heic', path: 'out/a.jpg' },
      ]),
    /a\.jpg and a\.heic would both be saved as out\/a\.jpg/,
  )
})

test('without --force, an existing file is not overwritten, even if it was created during the run', async () => {
  const path = join(folder, 'there.txt')
  await assert.rejects(
    saveFile(path, false, async (draft) => {
      await writeFile(draft, 'ours')
      await writeFile(path, 'theirs')
    }),
    { name: 'FileExistsError', message: /--force/ },
  )
  assert.equal(await readFile(path, 'utf8'), 'theirs')
  await saveFile(path, true, (draft) => writeFile(draft, 'ours'))
  assert.equal(await readFile(path, 'utf8'), 'ours')
})

test('an unfinished download is removed, and its name can be used again', async () => {
  const path = join(folder, 'deep/half.txt')
  await assert.rejects(
    saveFile(path, false, async (draft) => {
      await writeFile(draft, 'half')
      throw new Error('stopped')
    }),
    /stopped/,
  )
  assert.deepEqual(await readdir(join(folder, 'deep')), [])
})

test('if a result cannot be saved, the error states the reason in words, or the code of a rare error', async () => {
  for (const [code, reason] of [
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'permission denied'],
    ['EIO', 'EIO'],
  ] as const) {
    const path = join(folder, `${code}.png`)
    const write = () => Promise.reject(Object.assign(new Error(code), { code }))
    await assert.rejects(saveFile(path, false, write), { message: `${path} cannot be written (${reason}).` })
  }
})

test('--force does not overwrite a path that is not a regular file', async () => {
  const pipe = join(folder, 'pipe')
  await promisify(execFile)('mkfifo', [pipe])
  for (const force of [false, true]) {
    await assert.rejects(
      saveFile(pipe, force, (draft) => writeFile(draft, 'a')),
      /pipe is not a regular file and cannot be overwritten/,
    )
  }
  assert.ok((await stat(pipe)).isFIFO())
  await writeFile(join(folder, 'plain'), 'a')
  await assert.rejects(
    saveFile(join(folder, 'plain', 'below.png'), false, (draft) => writeFile(draft, 'a')),
    /plain is not a folder/,
  )
})

test('a process that exits during a download removes the unfinished file', async () => {
  const own = join(folder, 'ends')
  await mkdir(own)
  const module = JSON.stringify(new URL('./save-file.ts', import.meta.url).href)
  // Ends the program as Ctrl-C does: during the write, and without output.
  const program = `
    import { readdirSync } from 'node:fs'
    const { saveFile, writeResult } = await import(${module})
    const stream = () => new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1000)) })
    setInterval(() => readdirSync(${JSON.stringify(own)}).length > 0 && process.exit(130), 10)
    await saveFile(${JSON.stringify(join(own, 'a.png'))}, false, (draft) => writeResult({ stream }, draft))`
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  await assert.rejects(ended, { code: 130 })
  assert.deepEqual(await readdir(own), [])
})

test('the next run removes the unfinished file of a killed process, but not of a running process', async () => {
  const own = join(folder, 'killed')
  await mkdir(own)
  const module = JSON.stringify(new URL('./save-file.ts', import.meta.url).href)
  const save = (name: string, end: string) => `
    import { writeFile } from 'node:fs/promises'
    const { saveFile } = await import(${module})
    await saveFile(${JSON.stringify(own)} + '/${name}', false, async (draft) => {
      await writeFile(draft, 'half')
      ${end}
    })`
  const run = (program: string) => execFile(process.execPath, ['--input-type=module', '-e', program])
  const running = run(
    save('running.png', "console.log('written'); setInterval(() => {}, 1000); await new Promise(() => {})"),
  )
  await once(running.stdout ?? running, 'data')
  await once(run(save('killed.png', "process.kill(process.pid, 'SIGKILL')")), 'exit')
  await writeFile(join(own, '.notes.part'), 'mine')
  assert.equal((await readdir(own)).length, 3)
  await saveFile(join(own, 'new.png'), false, (draft) => writeFile(draft, 'whole'))
  const left = (await readdir(own)).map((name) => name.replace(/\.[0-9a-f]{8}-\d+-[0-9a-f]{8}\.part$/, '.part'))
  assert.deepEqual(left.toSorted(), ['.mediamill.part', '.notes.part', 'new.png'])
  running.kill()
  await once(running, 'exit')
})

test('a file with the longest name that the file system allows is saved', async () => {
  const path = join(folder, 'long', `${'a'.repeat(251)}.png`)
  await saveFile(path, false, (draft) => writeFile(draft, 'a'))
  assert.equal(await readFile(path, 'utf8'), 'a')
})

test('if an unfinished file of a killed process cannot be removed, the new file is saved', async () => {
  const own = join(folder, 'stuck')
  let draftName = ''
  await saveFile(join(folder, 'sample'), false, async (draft) => {
    draftName = basename(draft)
    await writeFile(draft, 'a')
  })
  const ended = spawn('true')
  await once(ended, 'exit')
  await mkdir(join(own, draftName.replace(`-${process.pid}-`, `-${String(ended.pid)}-`)), { recursive: true })
  await saveFile(join(own, 'new.png'), false, (draft) => writeFile(draft, 'a'))
  assert.equal(await readFile(join(own, 'new.png'), 'utf8'), 'a')
})
