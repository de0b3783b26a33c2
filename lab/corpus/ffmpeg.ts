import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Debian's ffmpeg, which checks videos independently of the project's code. */
export type SecondOpinion = {
  /** Draws the first frame of each of the first five seconds, side by side, as a JPEG at `to`. */
  strip(file: string, to: string): Promise<void>
  /** Compares `data` with ffprobe's metadata. Returns a line for each difference. */
  doubts(file: string, data: Record<string, unknown>): Promise<string[]>
}

/** Returns the functions of ffmpeg, or `undefined` if ffmpeg or ffprobe is not installed. */
export async function findSecondOpinion(): Promise<SecondOpinion | undefined> {
  const found = await Promise.all(['ffmpeg', 'ffprobe'].map((tool) => run(tool, ['-version']).catch(() => undefined)))
  return found.includes(undefined) ? undefined : { strip, doubts }
}

const EACH_SECOND = "select='isnan(prev_selected_t)+gte(floor(t)\\,floor(prev_selected_t)+1)'"

async function strip(file: string, to: string): Promise<void> {
  const filters = `${EACH_SECOND},scale=-2:240,tile=5x1:padding=4`
  await run('ffmpeg', ['-v', 'error', '-y', '-i', file, '-an', '-vf', filters, '-frames:v', '1', '-q:v', '3', to])
}

type Probed = {
  format: { duration?: string; size: string }
  streams: {
    codec_type: string
    codec_name: string
    width?: number
    height?: number
    sample_aspect_ratio?: string
    avg_frame_rate: string
    r_frame_rate: string
    channels?: number
    sample_rate?: string
    disposition: { attached_pic: number }
    side_data_list?: { rotation?: number }[]
  }[]
}

// Allowed differences in seconds. A header's duration includes the last audio packet, but a track's does not.
const WITHIN: Record<string, number> = { duration: 0.05 }

async function doubts(file: string, data: Record<string, unknown>): Promise<string[]> {
  const { stdout } = await run('ffprobe', ['-v', 'error', '-of', 'json', '-show_format', '-show_streams', file])
  const metadata = metadataOf(JSON.parse(stdout) as Probed)
  return Object.entries(metadata).flatMap(([field, value]) => {
    const ours = data[field]
    if (ours === undefined || value === undefined) return []
    const isSame =
      typeof value === 'number' ? Math.abs(value - Number(ours)) <= (WITHIN[field] ?? 0.001) : value === ours
    return isSame ? [] : [`${field} is ${JSON.stringify(ours)}, and ${JSON.stringify(value)} to ffprobe`]
  })
}

/** Converts ffprobe's metadata to fields of the API. Omits values that ffprobe does not report. */
function metadataOf({ format, streams }: Probed): Record<string, number | string | null | undefined> {
  const video = streams.find(({ codec_type, disposition }) => codec_type === 'video' && disposition.attached_pic === 0)
  const audio = streams.find(({ codec_type }) => codec_type === 'audio')
  const turned = video?.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0
  const isAcross = Math.abs(turned) % 180 === 90
  const aspect = ratio(video?.sample_aspect_ratio?.replace(':', '/')) ?? 1
  const [wide, high] = [Math.round((video?.width ?? 0) * aspect), video?.height ?? 0]
  return {
    duration: format.duration === undefined ? undefined : Number(format.duration),
    codec: video?.codec_name,
    width: isAcross ? high : wide,
    height: isAcross ? wide : high,
    frame_rate: ratio(video?.avg_frame_rate) ?? ratio(video?.r_frame_rate),
    audio_codec: audio?.codec_name ?? null,
    // ffprobe counts rotation counterclockwise.
    rotation: (360 - turned) % 360,
    audio_channels: audio?.channels ?? null,
    audio_sample_rate: audio?.sample_rate === undefined ? null : Number(audio.sample_rate),
    size: Number(format.size),
  }
}

function ratio(text: string | undefined): number | undefined {
  const [numerator = 0, denominator = 0] = (text ?? '').split('/').map(Number)
  return numerator > 0 && denominator > 0 ? numerator / denominator : undefined
}
