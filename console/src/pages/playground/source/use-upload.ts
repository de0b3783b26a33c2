import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { uploadFile } from '../../../api/upload-file.ts'

/** The file names of uploads, by the `source` of the upload. */
export const uploadedNames = new Map<string, string>()

/** Uploads one file at a time. Cancels the upload if the user leaves the component. */
export function useUpload() {
  const [sentBytes, setSentBytes] = useState(0)
  const aborting = useRef(new AbortController())
  const sending = useMutation({
    mutationFn: async (file: File) => {
      setSentBytes(0)
      aborting.current = new AbortController()
      const upload = await uploadFile(file, { signal: aborting.current.signal, onProgress: setSentBytes })
      uploadedNames.set(upload.source, file.name)
      return upload
    },
  })
  useEffect(() => () => aborting.current.abort(), [])
  return {
    send: sending.mutate,
    error: sending.error,
    isPending: sending.isPending,
    file: sending.variables,
    sentBytes,
    cancel: () => {
      aborting.current.abort()
      sending.reset()
    },
  }
}
