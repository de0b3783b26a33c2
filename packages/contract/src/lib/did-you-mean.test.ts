import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean } from './did-you-mean.ts'

test('an error suggests the closest known word for a misspelled word, and nothing if no known word is similar', () => {
  const operations = ['watermark', 'border', 'resize', 'crop', 'rotate', 'flip', 'orient', 'grayscale', 'filter']
  assert.equal(didYouMean('greyscale', operations), 'grayscale')
  assert.equal(didYouMean('rezise', operations), 'resize')
  assert.equal(didYouMean('Resize', operations), 'resize')
  assert.equal(didYouMean('heigth', ['width', 'height']), 'height')
  assert.equal(didYouMean('widht', ['width', 'height']), 'width')
  assert.equal(didYouMean('colour', ['color', 'top']), 'color')
  assert.equal(didYouMean('whistle', operations), undefined)
  assert.equal(didYouMean('', operations), undefined)
  assert.equal(didYouMean('x'.repeat(1_000_000), operations), undefined)
})
