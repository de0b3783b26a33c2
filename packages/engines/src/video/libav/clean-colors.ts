import {
  AVCOL_PRI_EBU3213,
  AVCOL_PRI_RESERVED,
  AVCOL_PRI_SMPTE432,
  AVCOL_PRI_UNSPECIFIED,
  AVCOL_SPC_RESERVED,
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_SPC_YCGCO_RO,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_LOG,
  AVCOL_TRC_LOG_SQRT,
  AVCOL_TRC_RESERVED,
  AVCOL_TRC_UNSPECIFIED,
} from 'node-av/constants'
import type { Frame } from 'node-av/lib'

/** Removes the color tags that the filters reject: reserved and unknown numbers, and logarithmic transfers. */
export function cleanColors(frame: Frame): void {
  const { colorSpace: matrix, colorPrimaries: primaries, colorTrc: transfer } = frame
  if (matrix === AVCOL_SPC_RESERVED || matrix > AVCOL_SPC_YCGCO_RO) frame.colorSpace = AVCOL_SPC_UNSPECIFIED
  if (primaries === AVCOL_PRI_RESERVED || (primaries > AVCOL_PRI_SMPTE432 && primaries !== AVCOL_PRI_EBU3213))
    frame.colorPrimaries = AVCOL_PRI_UNSPECIFIED
  if (UNSUPPORTED_TRANSFERS.includes(transfer) || transfer > AVCOL_TRC_ARIB_STD_B67)
    frame.colorTrc = AVCOL_TRC_UNSPECIFIED
}

const UNSUPPORTED_TRANSFERS: readonly number[] = [AVCOL_TRC_RESERVED, AVCOL_TRC_LOG, AVCOL_TRC_LOG_SQRT]
