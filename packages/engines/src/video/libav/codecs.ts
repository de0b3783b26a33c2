import type { VideoSourceFormat } from '@mediamill/contract/domain/media'

/**
 * The allowed decoders, in the syntax of libav's whitelist: first video, then audio. libav needs decoders even to open
 * some files.
 */
export const DECODER_WHITELIST = [
  'h264,hevc,libdav1d,vp8,vp9,mpeg1video,mpeg2video,mpeg4,msmpeg4v1,msmpeg4v2,msmpeg4,h263,h263i,h263p,flv',
  'mjpeg,mjpegb,prores,dnxhd,dvvideo,theora,vp6,vp6a,vp6f,svq1,svq3,cinepak,wmv1,wmv2,wmv3,vc1',
  'aac,aac_latm,mp3,mp3float,mp2,mp2float,mp1,mp1float,ac3,eac3,dca,truehd,mlp,opus,libopus,vorbis,libvorbis',
  'flac,alac,amrnb,amrwb,qdm2,wmav1,wmav2,wmapro,speex,nellymoser,gsm_ms,adpcm_ima_qt,adpcm_ima_wav,adpcm_ms',
  'adpcm_swf,adpcm_yamaha,pcm_alaw,pcm_bluray,pcm_dvd,pcm_f32be,pcm_f32le,pcm_f64be,pcm_f64le,pcm_mulaw',
  'pcm_s16be,pcm_s16le,pcm_s24be,pcm_s24le,pcm_s32be,pcm_s32le,pcm_s8,pcm_u8',
].join(',')

const ALLOWED: ReadonlySet<string> = new Set(DECODER_WHITELIST.split(','))

export const isAllowedDecoder = (name: string) => ALLOWED.has(name)

/** The whitelist for files with a complete H.264 header. */
export const WHITELIST_WITHOUT_H264 = [...ALLOWED].filter((name) => name !== 'h264').join(',')

export function demuxerOf(format: VideoSourceFormat, head: Buffer): string {
  switch (format) {
    case 'MP4':
    case 'MOV':
      return 'mov'
    case 'MKV':
    case 'WEBM':
      return 'matroska'
    case 'AVI':
      return 'avi'
    case 'FLV':
      return 'flv'
    case 'MPEGTS':
      return 'mpegts'
    case 'MPEG':
      // A video stream without a container starts with a sequence header (ISO 11172-2).
      return head.readUInt32BE(0) === 0x1b3 ? 'mpegvideo' : 'mpeg'
  }
}

export const isCopiedAudio = (codec: string) => ['aac', 'mp3', 'ac3', 'eac3', 'alac'].includes(codec)
