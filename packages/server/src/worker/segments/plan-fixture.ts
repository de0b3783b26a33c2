import type { SegmentsPlan } from '@mediamill/media/plan/video-segments'

export const PLAN: SegmentsPlan = {
  version: 2,
  size: 12,
  assets: [],
  cuts: [1000],
  time_base: { num: 1, den: 1000 },
  places: [],
  jumps: [],
  seconds: 2,
  sound: 'none',
  isInterlaced: false,
  encoder: {
    time_base: { num: 1, den: 1000 },
    rate: { num: 25, den: 1 },
    matrix: 'bt709',
    primaries: 1,
    transfer: 1,
  },
}
