import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClipOptions } from '../support/video-clip.ts'
import { makeClip } from '../support/video-clip.ts'

const CLIPS: Record<string, ClipOptions> = {
  MP4: { container: 'mp4', frames: 6, sound: ['aac'] },
  MOV: { container: 'mov', frames: 6 },
  MKV: { container: 'matroska', frames: 6, sound: ['aac'] },
  WEBM: { container: 'webm', frames: 6, video: 'libvpx' },
  AVI: { container: 'avi', frames: 6, video: 'mpeg4' },
  FLV: { container: 'flv', frames: 6, sound: ['aac'] },
  MPEG: { container: 'mpeg', frames: 6, video: 'mpeg2video' },
  MPEGTS: { container: 'mpegts', frames: 6, sound: ['aac'] },
}

export async function validVideos(): Promise<Record<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-clips-'))
  try {
    const clips: Record<string, Buffer> = {}
    for (const [name, options] of Object.entries(CLIPS)) {
      await makeClip(join(folder, name), options)
      clips[name] = await readFile(join(folder, name))
    }
    return clips
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
