import { formatBytes } from '@mediamill/contract/lib/format-text'
import '@mantine/dropzone/styles.css'
import { Group, Input, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconCheck, IconUpload } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { messageOf } from '../../../api/call-error.ts'
import type { Medium } from '../endpoints.ts'
import { text } from '../text.ts'
import { useUpload } from './use-upload.ts'

const WORDS: Record<Medium, string> = { image: text.anImage, video: text.aVideo, document: text.aPdf }

type Props = {
  medium: Medium
  source: string
  problem: string | undefined
  /** Called with an uploaded file. `previewUrl` is a local URL of the file if it is an image or a video. */
  onUploaded: (source: string, previewUrl: string | undefined) => void
}

export function UploadField({ medium, source, problem, onUploaded }: Props) {
  const [file, setFile] = useState<File>()
  const upload = useUpload()
  const take = ([taken]: File[]) => {
    if (taken === undefined) return
    setFile(taken)
    upload.mutate(taken, {
      onSuccess: (uploaded) =>
        onUploaded(uploaded.source, /^(?:image|video)\//.test(taken.type) ? URL.createObjectURL(taken) : undefined),
    })
  }
  const isThere = source.startsWith('upload:') && !upload.isPending && upload.error === null
  const error = upload.error === null ? (isThere ? problem : undefined) : messageOf(upload.error)
  const errorId = useId()
  const Drawing = isThere ? IconCheck : IconUpload
  return (
    <div>
      <Dropzone
        onDrop={take}
        multiple={false}
        loading={upload.isPending}
        radius="md"
        p="lg"
        inputProps={{
          'aria-label': text.chooseFile(WORDS[medium]),
          ...(error !== undefined && { 'aria-invalid': true, 'aria-describedby': errorId }),
        }}
      >
        <Group justify="center" gap="sm" wrap="nowrap" style={{ pointerEvents: 'none' }}>
          <Drawing size={22} aria-hidden="true" />
          <div>
            <Text size="sm" fw={600}>
              {isThere ? (file?.name ?? text.fileUploaded) : text.dropFile(WORDS[medium])}
            </Text>
            <Text size="xs" c="dimmed">
              {isThere && file !== undefined ? text.dropAnotherFile(formatBytes(file.size)) : text.uploadAbout}
            </Text>
          </div>
        </Group>
      </Dropzone>
      {error !== undefined && (
        <Input.Error id={errorId} mt={4}>
          {error}
        </Input.Error>
      )}
    </div>
  )
}
