import type { Size } from '@mediamill/contract/domain/size'
import { joinList } from '@mediamill/contract/lib/format-text'
import { blend } from './blend.ts'
import { cutout } from './cutout.ts'
import { extend } from './extend.ts'
import { extract } from './extract.ts'
import { flip } from './flip.ts'
import { lines } from './lines.ts'
import { look } from './look.ts'
import { matrix } from './matrix.ts'
import type { OrientStep } from './orient.ts'
import { resize } from './resize.ts'
import type { DrawFrame, DrawingContext, GeometryDeclaration, PixelDeclaration, Weight } from './step.ts'
import { tones } from './tones.ts'
import { turn } from './turn.ts'

/** All steps. To add one, write its file and add two lines here. Coordinates are pixels from the frame's top left. */
const STEPS = { resize, extract, extend, turn, flip, matrix, tones, look, blend, lines, cutout }

type StepName = keyof typeof STEPS
type NamesOf<Kind> = { [Name in StepName]: (typeof STEPS)[Name]['kind'] extends Kind ? Name : never }[StepName]
export type GeometryName = NamesOf<'geometry'>
type PixelName = NamesOf<'pixels'>

type StepOf<Declared> =
  Declared extends GeometryDeclaration<infer Step> ? Step : Declared extends PixelDeclaration<infer Step> ? Step : never
// Merges intersected types, so that compiler errors list all fields of a step.
type Plain<Step> = { [Field in keyof Step]: Step[Field] }
export type StepNamed<Name extends StepName> = { [N in Name]: Plain<StepOf<(typeof STEPS)[N]>> }[Name]

type GeometryStep = StepNamed<GeometryName>
export type PixelStep = StepNamed<PixelName>
/** All steps that draw. `encode` only sets the quality, and a plan replaces `orient` with flips and turns. */
export type DrawingStep = GeometryStep | PixelStep

/** Sets the quality of the result. The last such step applies, at any position (operations.compress.1). */
type EncodeStep = { step: 'encode'; quality: number }

export type ImageStep = DrawingStep | OrientStep | EncodeStep

// The table `STEPS` with a type that relates each name to its own declaration.
const ANY: { [Name in StepName]: GeometryDeclaration<StepNamed<Name>> | PixelDeclaration<StepNamed<Name>> } = STEPS
const PIXELS: { [Name in PixelName]: PixelDeclaration<StepNamed<Name>> } = STEPS

type Self<Name extends StepName> = StepNamed<Name> & { step: Name }

export function weightOf<Name extends StepName>(step: Self<Name>): number {
  const { weight } = ANY[step.step]
  return weight === 1 || weight.where?.(step) === false ? 1 : weight.times
}

export function describeWeights(): string {
  const names = new Map<number, string[]>()
  for (const { weight } of Object.values<{ weight: Weight<never> }>(STEPS)) {
    if (weight !== 1) names.set(weight.times, [...(names.get(weight.times) ?? []), weight.of])
  }
  return [...names]
    .map(([times, all]) => `${joinList(all)} count ${times === 2 ? 'twice' : `${times} times`}`)
    .join(', ')
}

export function sizeAfter<Name extends StepName>(step: Self<Name>, { width, height }: Size): Size {
  const declared = ANY[step.step]
  return declared.kind === 'geometry' ? declared.sizeAfter(step, { width, height }) : { width, height }
}

export function sizeBetween<Name extends StepName>(step: Self<Name>, before: Size): Size {
  const declared = ANY[step.step]
  const between = declared.kind === 'geometry' ? declared.sizeBetween : undefined
  return between?.(step, before) ?? sizeAfter(step, before)
}

export function extraPixels<Name extends StepName>(
  step: Self<Name>,
  frame: Size,
  watermarks: ReadonlyMap<string, Size>,
): number {
  const declared = ANY[step.step]
  return declared.kind === 'pixels' ? (declared.extraPixels?.(step, frame, watermarks) ?? 0) : 0
}

export const isPixelStep = (step: DrawingStep): step is PixelStep => ANY[step.step].kind === 'pixels'

export const isCover = (step: PixelStep): boolean => PIXELS[step.step].isCover

export const prepareStep = async <Name extends PixelName>(
  step: Self<Name>,
  context: DrawingContext,
): Promise<DrawFrame> => PIXELS[step.step].prepare(step, context)
