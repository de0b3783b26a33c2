import type { Size } from '@mediamill/contract/domain/size'
import { listed } from '@mediamill/contract/lib/words'
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

/**
 * The closed set of things that can be drawn on pictures. To add one: its file, and two lines here.
 *
 * Coordinates are pixels from the top left of the frame as it is when the step runs.
 */
const STEPS = { resize, extract, extend, turn, flip, matrix, tones, look, blend, lines, cutout }

export type StepName = keyof typeof STEPS
type NamesOf<Kind> = { [Name in StepName]: (typeof STEPS)[Name]['kind'] extends Kind ? Name : never }[StepName]
export type GeometryName = NamesOf<'geometry'>
export type PixelName = NamesOf<'pixels'>

type StepOf<Declared> =
  Declared extends GeometryDeclaration<infer Step> ? Step : Declared extends PixelDeclaration<infer Step> ? Step : never
// One type, where a step is declared as several: so the compiler's errors tell its fields.
type Plain<Step> = { [Field in keyof Step]: Step[Field] }
/** The step of that name, or one of those names. */
export type StepNamed<Name extends StepName> = { [N in Name]: Plain<StepOf<(typeof STEPS)[N]>> }[Name]

/** A step that scales, moves or adds pixels. */
export type GeometryStep = StepNamed<GeometryName>
/** A step that changes pixels where they are. */
export type PixelStep = StepNamed<PixelName>
/** The steps that draw. They are what is left when `orient` is resolved and `encode` handed to the encoder. */
export type DrawingStep = GeometryStep | PixelStep

/** The wish for the encoder; the last one wins wherever it stands (rulings 15). */
export type EncodeStep = { step: 'encode'; quality: number }

/** The instructions that an operation may give for a picture. */
export type ImageStep = DrawingStep | OrientStep | EncodeStep

// The same table under types in which a step's own name finds the declaration of just that step.
const ANY: { [Name in StepName]: GeometryDeclaration<StepNamed<Name>> | PixelDeclaration<StepNamed<Name>> } = STEPS
const PIXELS: { [Name in PixelName]: PixelDeclaration<StepNamed<Name>> } = STEPS

type Self<Name extends StepName> = StepNamed<Name> & { step: Name }

/** How often the pixels that a step leaves count towards the work of a request. */
export function weightOf<Name extends StepName>(step: Self<Name>): number {
  const { weight } = ANY[step.step]
  return weight === 1 || weight.where?.(step) === false ? 1 : weight.times
}

/** Says which steps count more than once. An example is `resizes and filters count twice, cutouts count 3 times`. */
export function describeWeights(): string {
  const names = new Map<number, string[]>()
  for (const { weight } of Object.values<{ weight: Weight<never> }>(STEPS)) {
    if (weight !== 1) names.set(weight.times, [...(names.get(weight.times) ?? []), weight.of])
  }
  return [...names].map(([times, all]) => `${listed(all)} count ${times === 2 ? 'twice' : `${times} times`}`).join(', ')
}

/** The size a step leaves. */
export function sizeAfter<Name extends StepName>(step: Self<Name>, { width, height }: Size): Size {
  const declared = ANY[step.step]
  return declared.kind === 'geometry' ? declared.sizeAfter(step, { width, height }) : { width, height }
}

/** The largest size that a step passes through. */
export function sizeBetween<Name extends StepName>(step: Self<Name>, before: Size): Size {
  const declared = ANY[step.step]
  const between = declared.kind === 'geometry' ? declared.sizeBetween : undefined
  return between?.(step, before) ?? sizeAfter(step, before)
}

/** Pixels that a step draws besides those of the frame. */
export function extraPixels<Name extends StepName>(
  step: Self<Name>,
  frame: Size,
  watermarks: ReadonlyMap<string, Size>,
): number {
  const declared = ANY[step.step]
  return declared.kind === 'pixels' ? (declared.extraPixels?.(step, frame, watermarks) ?? 0) : 0
}

/** Tells whether a step changes pixels where they are. */
export const isPixelStep = (step: DrawingStep): step is PixelStep => ANY[step.step].kind === 'pixels'

/** Tells whether a step covers pixels and reads none. */
export const isCover = (step: PixelStep): boolean => PIXELS[step.step].isCover

/** Prepares a step once for all frames of a picture. */
export const prepareStep = async <Name extends PixelName>(
  step: Self<Name>,
  context: DrawingContext,
): Promise<DrawFrame> => PIXELS[step.step].prepare(step, context)
