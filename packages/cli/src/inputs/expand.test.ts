import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { expandInputs } from './expand.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const root = await sharedFolder('mediamill-expand-')
await mkdir(join(root, 'in/deep'), { recursive: true })
await mkdir(join(root, 'in/.hidden'))
for (const name of ['in/b.png', 'in/a.heic', 'in/deep/c.png', 'in/.d.png', 'in/.hidden/e.png', 'in/[f].png']) {
  await writeFile(join(root, name), PNG)
}
await writeFile(join(root, 'in/notes.txt'), 'a text')

const none = () => Promise.reject(new Error('nothing is piped in'))
const found = async (...words: string[]) => {
  const { inputs, passedOver } = await expandInputs(words, none)
  return { found: inputs.map(({ label, folder }) => [label.slice(root.length + 1), folder]), passedOver }
}
const at = (name: string) => join(root, name)

test('a folder argument selects all files below the folder by name, except hidden files and unknown formats', async () => {
  assert.deepEqual(await found(at('in')), {
    found: [
      ['in/[f].png', ''],
      ['in/a.heic', ''],
      ['in/b.png', ''],
      ['in/deep/c.png', 'deep'],
    ],
    passedOver: 1,
  })
})

test('a glob argument keeps the subfolder of each file below the folder before the first wildcard', async () => {
  const { found: globbed } = await found(at('in/**/*.{png,heic}'))
  assert.deepEqual(
    globbed.map(([label, folder]) => `${label} ${folder}`),
    ['in/[f].png ', 'in/a.heic ', 'in/b.png ', 'in/deep/c.png deep'],
  )
})

test('a file name that looks like a glob selects this file, and a file that is named twice is selected once', async () => {
  assert.deepEqual((await found(at('in/[f].png'), at('in/b.png'), at('in/../in/b.png'))).found, [
    ['in/[f].png', ''],
    ['in/b.png', ''],
  ])
})

test('a missing input file and a glob without a match are errors', async () => {
  await assert.rejects(found(at('in/none.png')), /The file .*none\.png does not exist\./)
  await assert.rejects(found(at('in/*.gif')), { name: 'UsageError' })
})

const WITHOUT_LINUX = process.platform === 'linux' ? false : 'only Linux allows such names'

test('a file whose name is not valid UTF-8 is an error, and is not left out without notice', {
  skip: WITHOUT_LINUX,
}, async () => {
  await mkdir(at('latin'))
  const name = Buffer.concat([Buffer.from(at('latin/caf')), Buffer.from([0xe9]), Buffer.from('.png')])
  await writeFile(name, PNG)
  const message = /latin\/caf\uFFFD\.png has a name that is not valid UTF-8\. Rename it\.$/
  for (const word of ['latin', 'latin/*.png', 'latin/caf\uFFFD.png']) await assert.rejects(found(at(word)), message)
})

test('if an input is a pipe or a device, the error states this, and does not report a missing file', async () => {
  execFileSync('mkfifo', [at('pipe')])
  await assert.rejects(found(at('pipe')), /pipe is a pipe\. Send its bytes to stdin, and use - as the input\.$/)
  await assert.rejects(found('/dev/null'), { message: '/dev/null is neither a file nor a folder.' })
})

test('a file name from a URL cannot lead to another folder or fake another extension', async () => {
  const urls = [
    'https://example.com/a/%2e%2e%2fetc%2fpasswd.jpg?x=1',
    'https://example.com/',
    'https://example.com/.rc',
    'https://example.com/a%E2%80%AEgnp.jpg',
    'https://example.com/a%E2%81%A6%D8%9C%E2%80%8E.jpg',
  ]
  const { inputs } = await expandInputs(urls, none)
  assert.deepEqual(
    inputs.map(({ name, ending }) => [name, ending]),
    [
      ['_etc_passwd', 'jpg'],
      ['result', ''],
      ['rc', ''],
      ['a_gnp', 'jpg'],
      ['a___', 'jpg'],
    ],
  )
})
