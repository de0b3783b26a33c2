import type { Size } from '@mediamill/contract/domain/size'
import type { Frame } from 'node-av/lib'
import type { FrameShape } from '../color/frame-shape.ts'
import type { Ground } from '../color/normalize.ts'
import { normalize, repeatEdges } from '../color/normalize.ts'
import type { Link, Pixels } from '../libav/filter-text.ts'
import { filterText } from '../libav/filter-text.ts'
import type { Graph } from '../libav/graph.ts'
import { buildGraph, frameSource } from '../libav/graph.ts'
import type { Media } from '../libav/media.ts'
import type { DrawnOverlay } from './overlay.ts'
import { overlayFrame } from './overlay.ts'

export type Drawing = {
  links: readonly Link[]
  overlays: readonly DrawnOverlay[]
  size: Size
  pixels: Pixels
}

type FrameGraphOptions = { media: Media; drawing: Drawing; shape: FrameShape; ground: Ground; threads: number }

export function buildFrameGraph(frame: Frame, options: FrameGraphOptions): Graph {
  const { media, drawing, shape, ground, threads } = options
  const links = [...normalize(shape, ground, media.turn), ...drawing.links, ...ending(drawing.size)]
  const { timeBase } = media.video
  return buildGraph(filterText(links), {
    main: { name: 'in', open: (graph) => frameSource(graph, 'in', frame, timeBase) },
    stills: drawing.overlays.map((overlay) => {
      const still = overlayFrame(overlay, ground.matrix)
      return {
        name: overlay.name,
        frame: still,
        open: (graph) => frameSource(graph, overlay.name, still, timeBase),
      }
    }),
    sink: 'buffersink',
    threads,
  })
}

/** Returns the last filters. Players support only even sides and this pixel format. */
const ending = (size: Size): Link[] => [...repeatEdges(size), { name: 'format', args: { pix_fmts: 'yuv420p' } }]
