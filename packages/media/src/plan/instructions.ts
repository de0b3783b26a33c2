import { RequestFailure } from '@mediamill/contract/domain/errors'
import { findOperation } from '@mediamill/contract/operations/index'
import type { Operation } from '@mediamill/contract/operations/operation'
import type { OperationInput } from '@mediamill/contract/operations/schema'

type Draw<Frame, Instruction> = (params: Record<string, unknown>, frame: Frame) => Instruction[]

/** Plans the instructions of one operation. Throws `RequestFailure` with the index of the operation. */
export function instructionsOf<Frame, Instruction>(
  { type, ...params }: OperationInput,
  { frame, operation }: { frame: Frame; operation: number },
  choose: (found: Operation) => Draw<Frame, Instruction> | undefined,
): Instruction[] {
  const found = findOperation(type)
  const draw = found === undefined ? undefined : choose(found)
  if (draw === undefined) throw new RangeError(`no such operation on this medium: ${type}`)
  try {
    return draw(params, frame)
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    throw new RequestFailure(error.code, error.message, { operation, cause: error.cause })
  }
}
