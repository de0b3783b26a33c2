import { AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants'
import type { FilterContext, Frame } from 'node-av/lib'
import { Filter, FilterGraph, FilterInOut } from 'node-av/lib'
import { check, existing } from './libav.ts'

export type Graph = Disposable & {
  timeBase: { num: number; den: number }
  put(frame: Frame | null): void
  take(frame: Frame): boolean
}

type GraphSource = { name: string; open: (graph: FilterGraph) => FilterContext }

/**
 * Builds a filter graph. Uses the segment functions of libav, because node-av's `parsePtr` keeps only the first input.
 */
export function buildGraph(
  text: string,
  options: { main: GraphSource; stills: readonly (GraphSource & { frame: Frame })[]; sink: string; threads: number },
): Graph {
  const graph = new FilterGraph()
  graph.alloc()
  graph.nbThreads = options.threads
  const main = options.main.open(graph)
  const stills = options.stills.map(({ name, open, frame }) => ({ name, frame, source: open(graph) }))
  const sink = existing(
    graph.createFilter(existing(Filter.getByName(options.sink as 'buffersink'), options.sink), 'out'),
    options.sink,
  )
  const sources = new Map([[options.main.name, main], ...stills.map(({ name, source }) => [name, source] as const)])
  link(graph, text, sources, sink)
  for (const { frame, source } of stills) {
    check(source.buffersrcAddFrameSync(frame), 'add a still')
    check(source.buffersrcAddFrameSync(null), 'end a still')
  }
  return {
    timeBase: sink.buffersinkGetTimeBase(),
    put(frame) {
      check(main.buffersrcAddFrameSync(frame), 'filter a frame')
    },
    take(frame) {
      const result = sink.buffersinkGetFrameSync(frame)
      if (result === AVERROR_EAGAIN || result === AVERROR_EOF) return false
      check(result, 'receive a filtered frame')
      return true
    },
    [Symbol.dispose]: () => graph.free(),
  }
}

function link(
  graph: FilterGraph,
  text: string,
  sources: ReadonlyMap<string, FilterContext>,
  sink: FilterContext,
): void {
  using segment = existing(graph.segmentParse(text), 'filter graph of that text')
  check(segment.createFilters(), `create ${text}`)
  check(segment.applyOpts(), `set ${text}`)
  using inputs = new FilterInOut()
  using outputs = new FilterInOut()
  check(segment.apply(inputs, outputs), `link ${text}`)
  for (let open: FilterInOut | null = inputs; open?.name; open = open.next) {
    const source = existing(sources.get(open.name), `input ${open.name}`)
    check(source.link(0, existing(open.filterCtx, 'filter'), open.padIdx), 'link an input')
  }
  for (let open: FilterInOut | null = outputs; open?.name; open = open.next) {
    check(existing(open.filterCtx, 'filter').link(open.padIdx, sink, 0), 'link the output')
  }
  check(graph.configSync(), `configure ${text}`)
}

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
