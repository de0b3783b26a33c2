import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseOperationFlag } from '@mediamill/cli/src/operations/operation-flags'
import { parseOutputFlag } from '@mediamill/cli/src/operations/output-flag'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { readEarlier } from '../../../console/src/pages/playground/earlier/earlier-call.ts'
import { cliSnippet } from '../../../console/src/pages/playground/snippets/cli-snippet.ts'
import { curlSnippet } from '../../../console/src/pages/playground/snippets/curl-snippet.ts'
import { stepsOf } from '../../../console/src/pages/playground/snippets/snippet.ts'
import { typescriptSnippet } from '../../../console/src/pages/playground/snippets/typescript-snippet.ts'

const operations = [
  { type: 'orient' },
  { type: 'resize', width: 800, height: 600, crop_center: true },
  { type: 'crop', x: 1, y: 2, width: 30, height: 40 },
  { type: 'thumbnail', width: 90 },
  { type: 'remove_background', tolerance: 20 },
  { type: 'filter', name: 'amaro', strength: 40 },
  { type: 'watermark', image_url: "https://example.com/it's,a.png?a=1&b=$HOME", x: -4, y: 5 },
]
const body = { source: "https://example.com/o'clock.jpg", operations, output: { format: 'webp' } }
const snippet = {
  baseUrl: 'https://media.example.com',
  steps: stepsOf({ endpoint: 'images/process', body, earlier: [] }),
}

const wordsOf = (line: string, variables: Record<string, string> = {}): string[] =>
  JSON.parse(
    execFileSync(
      'sh',
      [
        '-c',
        `${line.replace(/^(\w+)/, 'show')}`.replace(
          /^/,
          `show() { "${process.execPath}" -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- "$@"; }\n`,
        ),
      ],
      { env: { ...process.env, ...variables } },
    ).toString(),
  ) as string[]

/** Runs code for TypeScript, and returns the body of its call. */
function bodyIn(code: string): unknown {
  const call = /\.process\(([\s\S]*)\)\n {2}\.wait/.exec(code)?.[1]
  // oxlint-disable-next-line typescript/no-implied-eval -- The code is our own, and only its result shows that it is valid.
  return new Function(`return (${call})`)()
}

describe('code that the playground writes', () => {
  test("the playground's code for the command line parses to the operations of the playground, in the same order", () => {
    const line = /^mediamill process[^]*/m.exec(cliSnippet(snippet))?.[0] ?? ''
    const words = wordsOf(line)
    assert.deepEqual(words.slice(0, 2), ['process', body.source])
    const flags = words
      .slice(2)
      .flatMap((word, at, all) => (word.startsWith('--') ? [[word.slice(2), all[at + 1] ?? '']] : []))
    const catalog = presentCatalog().data.image.operations
    const parsed = flags.map(([flag = '', value = '']) =>
      parseOperationFlag(flag.replaceAll('-', '_'), value.startsWith('--') ? '' : value, catalog),
    )
    assert.deepEqual(parsed, operations)
    assert.ok(words.includes('result.webp'))
  })

  test("the playground's code for TypeScript is a valid program with the values of the playground", () => {
    assert.deepEqual(bodyIn(typescriptSnippet(snippet)), body)
  })

  test("the playground's code for TypeScript and for the command line has all fields of each output", () => {
    const outputs = [
      { name: 'small', format: 'jpg', operations, quality: 'auto', max_bytes: 40_000, max_bytes_resize: true },
      { format: 'png', quality: 80, metadata: 'copyright' },
    ]
    const sent = { source: body.source, outputs }
    const several = {
      ...snippet,
      steps: stepsOf({ endpoint: 'images/process', body: sent, earlier: [] }),
    }
    assert.deepEqual(bodyIn(typescriptSnippet(several)), sent)
    const words = wordsOf(/^mediamill process[^]*/m.exec(cliSnippet(several))?.[0] ?? '')
    const flags = words.filter((_, at) => words[at - 1] === '--output')
    assert.deepEqual(flags.map(parseOutputFlag), outputs)
  })

  test("the playground's code for the command line replaces the variable of a text watermark in an output", () => {
    const watermark = { type: 'watermark', image_url: '$DRAFT', x: 4, y: 5 }
    const sent = { source: body.source, outputs: [{ name: 'small', operations: [watermark] }] }
    const earlier = [{ variable: 'DRAFT', path: 'stamps', body: { text: 'DRAFT' } }]
    const code = cliSnippet({ ...snippet, steps: stepsOf({ endpoint: 'images/process', body: sent, earlier }) })
    const line = /^mediamill process[^]*/m.exec(code)?.[0] ?? ''
    const words = wordsOf(line, { TEXT: 'upload:upl_1' })
    const flag = words[words.indexOf('--output') + 1] ?? ''
    assert.deepEqual(parseOutputFlag(flag), {
      name: 'small',
      operations: [{ ...watermark, image_url: 'upload:upl_1' }],
    })
  })

  test("the playground's code for curl prints the error of a failed request, and downloads nothing", {
    skip: spawnSync('jq', ['--version']).status === 0 ? false : 'jq is missing',
  }, () => {
    const request = JSON.stringify({ id: 1, status: 'failed', result: null, error: { code: 'source_unreachable' } })
    const curl = `curl() { echo call >> "$CALLS"; echo '${request}'; }`
    const code = `CALLS=$(mktemp); ${curl}; ${curlSnippet(snippet)}\nwc -l < "$CALLS"; rm "$CALLS"`
    const { stdout, stderr } = spawnSync('bash', ['-c', code], { encoding: 'utf8' })
    assert.deepEqual([stdout.replaceAll(/\s/g, ''), stderr], ['{"code":"source_unreachable"}1', ''])
  })

  test("the playground's code runs no code of a link to the playground", () => {
    const evil = `x\\'"; touch pwned #\n$(touch pwned)\r\u0003\ntouch pwned\n`
    const operation = { type: evil, [evil]: evil, width: evil }
    const sent = { source: evil, operations: [operation], outputs: [{ [evil]: evil }], [evil]: evil }
    const steps = stepsOf({
      endpoint: 'images/process',
      body: { source: '$EARLIER', operations: [operation, { type: 'watermark', image_url: '$DRAWN' }] },
      earlier: [
        { variable: 'DRAWN', path: 'stamps', body: { text: evil, [evil]: { [evil]: evil } } },
        {
          variable: 'EARLIER',
          path: 'images/process',
          body: { ...sent, outputs: undefined, output: { format: evil } },
        },
      ],
    })
    const severalSteps = stepsOf({ endpoint: 'images/process', body: sent, earlier: [] })
    const work = mkdtempSync(join(tmpdir(), 'mediamill-snippets-'))
    for (const one of [steps, severalSteps].map((each) => ({ ...snippet, steps: each }))) {
      assert.doesNotMatch(cliSnippet(one), /[^\P{Cc}\n]/u)
      for (const code of [cliSnippet(one), curlSnippet(one)]) {
        const programs = 'mediamill() { :; }; curl() { :; }; jq() { ! [ "$1" = -e ]; }'
        spawnSync('bash', ['-c', `${programs}\n${code}`], { cwd: work, timeout: 60_000 })
      }
    }
    assert.deepEqual(bodyIn(typescriptSnippet({ ...snippet, steps: severalSteps })), sent)
    assert.deepEqual(readdirSync(work), [])
    rmSync(work, { recursive: true })
  })

  test('the playground accepts a link from an older version, with the former name of the field `variable`', () => {
    const stamp = { path: 'stamps', body: { text: 'DRAFT' } }
    assert.deepEqual(readEarlier([{ gives: 'DRAFT', ...stamp }]), [{ variable: 'DRAFT', ...stamp }])
  })

  test("the playground's code gives every result a safe and unique file name", () => {
    const steps = stepsOf(
      {
        endpoint: 'images/process',
        body: {
          source: 'upload:upl_1',
          operations: [
            { type: 'watermark', image_url: '$PATH' },
            { type: 'watermark', image_url: '$SECOND' },
            { type: 'watermark', image_url: 'upload:upl_2' },
            { type: 'watermark', image_url: 'upload:upl_1' },
          ],
        },
        earlier: [
          { variable: 'PATH', path: 'stamps', body: { type: 'text', text: '$SECOND' } },
          { variable: 'SECOND', path: 'stamps', body: { type: 'text', text: 'b' } },
        ],
      },
      { 'upload:upl_1': 'me.jpg' },
    )
    assert.deepEqual(steps, [
      { kind: 'upload', variable: 'UPLOAD', file: 'me.jpg' },
      { kind: 'upload', variable: 'UPLOAD_2', file: 'watermark.png' },
      { kind: 'text', variable: 'TEXT', body: { type: 'text', text: '$SECOND' } },
      { kind: 'text', variable: 'TEXT_2', body: { type: 'text', text: 'b' } },
      {
        kind: 'request',
        variable: undefined,
        endpoint: 'images/process',
        body: {
          source: '$UPLOAD',
          operations: ['TEXT', 'TEXT_2', 'UPLOAD_2', 'UPLOAD'].map((name) => ({
            type: 'watermark',
            image_url: `$${name}`,
          })),
        },
      },
    ])
  })
})
