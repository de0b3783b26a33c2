import { useMutation } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { Upload } from '../../../api/objects.ts'

/** The file names of uploads, by the `source` of the upload. */
export const uploadedNames = new Map<string, string>()

export const useUpload = () =>
  useMutation({
    mutationFn: async (file: File) => {
      const upload = await call<Upload>('POST', '/uploads', { body: file })
      uploadedNames.set(upload.source, file.name)
      return upload
    },
  })
