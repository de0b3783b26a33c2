import type { FilterContext, FilterGraph, Frame } from 'node-av/lib'
import { Filter } from 'node-av/lib'
import { check, existing } from './libav.ts'

/** Adds a source for frames like `frame` to a graph. Times are in `timeBase`. */
export function frameSource(
  graph: FilterGraph,
  name: string,
  frame: Frame,
  timeBase: { num: number; den: number },
): FilterContext {
  const source = existing(graph.allocFilter(existing(Filter.getByName('buffer'), 'buffer'), name), 'buffer')
  const { width, height, format, sampleAspectRatio, colorRange, colorSpace } = frame
  const shape = { width, height, format, timeBase, sampleAspectRatio, colorRange, colorSpace }
  check(source.buffersrcParametersSet(shape), 'describe the frames')
  check(source.init(null), 'open the source')
  return source
}
