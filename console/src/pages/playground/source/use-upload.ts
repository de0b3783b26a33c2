import { useMutation } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { Upload } from '../../../api/objects.ts'

/** Sends a file of this disk to the service. */
export const useUpload = () =>
  useMutation({ mutationFn: (file: Blob) => call<Upload>('POST', '/uploads', { body: file }) })
