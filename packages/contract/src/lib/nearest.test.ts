import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

test('a misspelt word is told by what it most likely meant, and a strange one by nothing', () => {
  const operations = ['watermark', 'border', 'resize', 'crop', 'rotate', 'flip', 'orient', 'grayscale', 'filter']
  assert.equal(nearest('greyscale', operations), 'grayscale')
  assert.equal(nearest('rezise', operations), 'resize')
  assert.equal(nearest('Resize', operations), 'resize')
  assert.equal(nearest('heigth', ['width', 'height']), 'height')
  assert.equal(nearest('widht', ['width', 'height']), 'width')
  assert.equal(nearest('colour', ['color', 'top']), 'color')
  assert.equal(nearest('whistle', operations), undefined)
  assert.equal(nearest('', operations), undefined)
  assert.equal(nearest('x'.repeat(1_000_000), operations), undefined)
})
