import { checksOf } from '../kit/check.ts'
import { equal, inRange, ok } from '../kit/expect.ts'
import { encodeBmp } from '../media/bmp.ts'
import { durationOf, encodeGif } from '../media/gif.ts'
import { farthest, quarters } from '../media/image.ts'
import { encodeTiff } from '../media/tiff.ts'

export const METADATA_READING = checksOf([
  {
    title: 'images/process returns the size and the format of its result, for each output format',
    rules: ['images.process.1'],
    run: async (kit) => {
      const source = await kit.image()
      for (const [format, name, type] of [
        ['jpg', 'JPEG', 'image/jpeg'],
        ['png', 'PNG', 'image/png'],
        ['webp', 'WEBP', 'image/webp'],
        ['gif', 'GIF', 'image/gif'],
        ['tif', 'TIFF', 'image/tiff'],
      ] as const) {
        const request = await kit.succeed('images/process', {
          source,
          operations: [{ type: 'flip' }],
          output: { format },
        })
        const { result, price } = request
        equal([result.data.width, result.data.height, result.data.format], [80, 60, name], `metadata of ${format}`)
        equal(
          [result.data.size, result.files[0].format],
          [result.files[0].size, format],
          `size and format of ${format}`,
        )
        equal(price.micro_usd, request.livemode ? 2000 : 0, 'the price of images/process')
        const { headers } = await kit.call(
          'GET',
          new URL(
            (await kit.call('GET', result.files[0].url, { key: null })).headers.get('location') ?? '',
            result.files[0].url,
          ).href,
          { key: null },
        )
        equal(headers.get('content-type'), type, `the type of ${format}`)
      }
      const bare = await kit.succeed('images/process', { source, operations: [{ type: 'flip' }] })
      equal(bare.result.files[0].format, 'jpg', 'the default format')
    },
  },
  {
    title: 'images/read returns the metadata of the stored file, including its EXIF orientation',
    rules: ['images.read.1', 'images.read.3', 'images.read.6', 'images.read.11', 'requests.create.2'],
    run: async (kit) => {
      const names = [
        'TopLeft',
        'TopRight',
        'BottomRight',
        'BottomLeft',
        'LeftTop',
        'RightTop',
        'RightBottom',
        'LeftBottom',
      ]
      for (const orientation of [1, 6, 8]) {
        const tiff = encodeTiff(quarters(), orientation)
        const request = await kit.succeed('images/read', { source: await kit.upload(tiff) })
        const { data } = request.result
        equal([data.width, data.height, data.format, data.frames], [80, 60, 'TIFF', 1], 'metadata of a TIFF')
        equal(
          [data.orientation, data.colorspace, data.size],
          [names[orientation - 1], 'sRGB', tiff.length],
          'more metadata of a TIFF',
        )
        equal(request.price.micro_usd, request.livemode ? 500 : 0, 'the price of images/read')
      }
      const plain = await kit.succeed('images/read', { source: await kit.image() })
      equal([plain.result.data.format, plain.result.data.orientation], ['PNG', 'Undefined'], 'metadata of a PNG')
      const full = await kit.succeed('images/read', { source: await kit.image(), level: 'full' })
      equal(
        [full.result.data.format, full.result.data.location, full.result.data.content_credentials],
        ['PNG', null, false],
        'full metadata of a PNG',
      )
      equal(full.price.micro_usd, plain.price.micro_usd, 'the price of the full level')
      await kit.invalid('images/read', { source: await kit.image(), level: 'all' }, 'level', 'invalid_value')
      await kit.invalid(
        'images/read',
        { source: await kit.image(), output: { format: 'png' } },
        'output',
        'unknown_parameter',
      )
      await kit.invalid(
        'images/read',
        { source: await kit.image(), operations: [{ type: 'flip' }] },
        'operations',
        'unknown_parameter',
      )
    },
  },
  {
    title: 'the color profile of a BMP is ignored',
    rules: ['images.read.5'],
    run: async (kit) => {
      const image = quarters()
      const source = await kit.upload(encodeBmp(image, Buffer.alloc(500, 7)))
      const { data } = (await kit.succeed('images/read', { source })).result
      equal([data.format, data.width, data.height, data.colorspace], ['BMP', 80, 60, 'sRGB'], 'metadata of a BMP')
      const flips = [
        { type: 'flip', horizontal: true },
        { type: 'flip', horizontal: true },
      ]
      equal(farthest(await kit.drawn(source, flips), image), 0, 'the largest difference from the stored pixels')
    },
  },
  {
    title: 'an animation keeps its total duration even if it contains identical frames',
    rules: ['images.process.4'],
    run: async (kit) => {
      const frames = [0, 0, 1, 1, 1, 0].map((color) => ({ color: color === 0 ? 0 : 1, delay: 20 + color * 5 }) as const)
      const source = await kit.upload(encodeGif(frames))
      equal((await kit.succeed('images/read', { source })).result.data.frames, 6, 'frames of the source')
      const operations = [{ type: 'resize', width: 8, height: 8 }]
      const made = await kit.succeed('images/process', { source, operations, output: { format: 'gif' } })
      equal(durationOf(await kit.file(made)), 135, 'hundredths of a second of the result')
    },
  },
  {
    title: 'HEIC, JPEG, and GIF images can be read, and a HEIC image is already upright',
    needs: ['samples'],
    rules: ['images.process.3', 'images.read.2', 'sources.formats.5'],
    run: async (kit) => {
      const read = async (source: string) => (await kit.succeed('images/read', { source })).result.data
      const [heic, jpeg, gif] = await Promise.all([
        read(kit.sample('phone.heic')),
        read(kit.sample('photo.jpg')),
        read(kit.sample('animation.gif')),
      ])
      equal([heic.format, jpeg.format, gif.format], ['HEIC', 'JPEG', 'GIF'], 'the formats')
      equal([jpeg.width, jpeg.height], [1067, 1600], 'size of the photo')
      ok(['TopLeft', 'Undefined'].includes(heic.orientation), 'the orientation of a HEIC', heic.orientation)
      const plain = { source: kit.sample('phone.heic'), operations: [{ type: 'grayscale' }] }
      const { data } = (await kit.succeed('images/process', plain)).result
      equal([data.width, data.height], [heic.width, heic.height], 'size of a HEIC as it is read and as it is processed')
      ok(gif.frames > 5, 'frames of the animation', gif)
      for (const format of ['gif', 'webp', 'png']) {
        const body = {
          source: kit.sample('animation.gif'),
          operations: [{ type: 'resize', width: 120, height: 80 }],
          output: { format },
        }
        const made = await kit.succeed('images/process', body)
        const { frames } = await read(made.result.files[0].url)
        ok(format === 'png' ? frames === 1 : frames > 5, `frames of ${format}`, frames)
      }
    },
  },
  {
    title:
      'videos/process returns the metadata of its result, cuts a video at max_duration, and charges started minutes',
    needs: ['paid', 'samples'],
    rules: ['videos.data.1', 'videos.max_duration.1', 'videos.process.1', 'billing.units.1'],
    run: async (kit) => {
      const operations = [{ type: 'resize', width: 321, height: 201 }]
      const request = await kit.succeed('videos/process', {
        source: kit.sample('clip.mp4'),
        operations,
        max_duration: 1,
      })
      const { data, files } = request.result
      inRange(data.duration, 0.95, 1.05, 'duration')
      equal(
        [data.width % 2, data.height % 2, data.codec, data.format, data.audio_codec],
        [0, 0, 'h264', 'MP4', null],
        'metadata',
      )
      inRange(data.width, 320, 322, 'width')
      inRange(data.frame_rate, 24.9, 25.1, 'frame_rate')
      ok(Number.isInteger(data.bitrate) && data.size === files[0].size, 'bitrate and size', data)
      equal([files[0].format, request.price.micro_usd], ['mp4', request.livemode ? 20_000 : 0], 'format and price')
      for (const max_duration of [0, 7201, 1.5]) {
        const body = { source: kit.sample('clip.mp4'), operations, max_duration }
        await kit.invalid(
          'videos/process',
          body,
          'max_duration',
          max_duration === 1.5 ? 'invalid_type' : 'out_of_range',
        )
      }
    },
  },
  {
    title: 'videos/read returns the metadata of a video',
    needs: ['paid', 'samples'],
    rules: ['videos.data.2'],
    run: async (kit) => {
      const { result, price, livemode } = await kit.succeed('videos/read', { source: kit.sample('clip.mp4') })
      const { data } = result
      equal([data.duration, data.width, data.height, data.frame_rate], [3, 640, 360, 25], 'metadata of the clip')
      equal(
        [data.codec, data.format, data.rotation, data.audio_codec],
        ['h264', 'MP4', 0, null],
        'codec, format, rotation, and audio codec',
      )
      for (const name of ['audio_channels', 'audio_sample_rate', 'bitrate', 'size'])
        ok(name in data, `the metadata contains ${name}`, data)
      equal(price.micro_usd, livemode ? 1000 : 0, 'the price of videos/read')
    },
  },
  {
    title:
      'videos/screenshot returns a frame; for a time after the end, it fails with the duration of the file in the message',
    needs: ['paid', 'samples'],
    rules: ['videos.screenshot.1', 'videos.screenshot.2', 'videos.screenshot.3'],
    run: async (kit) => {
      const source = kit.sample('clip.mp4')
      const shot = await kit.succeed('videos/screenshot', { source, seconds: 2, output: { format: 'png' } })
      const { data } = shot.result
      equal([data.width, data.height, data.format, data.seconds], [640, 360, 'PNG', 2], 'metadata')
      equal(shot.price.micro_usd, shot.livemode ? 2000 : 0, 'the price of videos/screenshot')
      const { width } = await kit.pixels(shot)
      equal(width, 640, 'width of the screenshot')
      await kit.fail('videos/screenshot', { source, seconds: 3 }, 'processing_failed', /3/)
      await kit.invalid('videos/screenshot', { source }, 'seconds', 'required')
      await kit.invalid('videos/screenshot', { source, seconds: 86_401 }, 'seconds', 'out_of_range')
      await kit.invalid(
        'videos/screenshot',
        { source, seconds: 1, output: { format: 'webp' } },
        'output.format',
        'invalid_value',
      )
    },
  },
  {
    title: 'video endpoints reject an account that has never bought credit',
    needs: ['free', 'samples'],
    rules: ['videos.access.1', 'billing.ledger.2'],
    run: async (kit) => {
      for (const [endpoint, more] of [
        ['videos/read', {}],
        ['videos/screenshot', { seconds: 0 }],
        ['videos/process', { operations: [{ type: 'grayscale' }] }],
      ] as const) {
        const options = { key: kit.key('free'), body: { source: kit.sample('clip.mp4'), ...more } }
        await kit.rejects(kit.call('POST', `/v1/${endpoint}`, options), 402, 'paid_account_required')
      }
    },
  },
])
