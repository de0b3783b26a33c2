import type { Rgba } from '../../domain/color.ts'

/**
 * One filter of a libav graph; names and arguments are quoted in one place, where the graph is built.
 *
 * Every size and offset is a plain number, never an expression, so that the size a filter leaves can be read off it.
 */
export type VideoFilter =
  | { name: string; args: Record<string, number | string> }
  /** A mark laid over every frame: at one place, or tiled to the right and down from it. */
  | { draw: 'mark'; assetUrl: string; x: number; y: number; stepX: number | undefined; stepY: number | undefined }
  /** Two lines from corner to corner of every frame; opacity 0 to 1, times the colour's own alpha. */
  | { draw: 'lines'; color: Rgba; opacity: number; width: number }
