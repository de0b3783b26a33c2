import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sentencesOf } from '@mediamill/lab/support/sentences'
import { CHECKS } from '../src/run-checks.ts'
import { UNSEEN } from '../src/unseen.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/interface.md'), 'utf8')
const sentences = sentencesOf(page)

/** What a check says that it keeps: beginnings of its own section, or of the one that is named before `>`. */
const kept = CHECKS.flatMap((check) =>
  check.keeps.map((text) => {
    const [, section, begin] = /^([\d.]+) > (.*)$/.exec(text) ?? [undefined, check.section, text]
    return { section, begin: begin ?? '' }
  }),
)

test('every sentence of the interface is held by a check of the kit, or the kit says why it is not', () => {
  const named = [...kept, ...UNSEEN]
  const open = sentences.filter(
    ({ section, text }) => !named.some((one) => one.section === section && text.startsWith(one.begin)),
  )
  assert.deepEqual(
    open.map(({ section, text }) => `${section} ${text.slice(0, 90)}`),
    [],
  )
})

test('the kit names no sentence that is gone, and calls none unseen that it checks', () => {
  const isThere = (one: { section: string; begin: string }) =>
    sentences.some(({ section, text }) => section === one.section && text.startsWith(one.begin))
  assert.deepEqual(
    [...kept, ...UNSEEN].filter((one) => !isThere(one)),
    [],
  )
  const both = UNSEEN.filter((one) => kept.some(({ section, begin }) => section === one.section && begin === one.begin))
  assert.deepEqual(both, [])
})
