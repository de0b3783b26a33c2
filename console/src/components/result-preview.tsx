import { IconFileText, IconMovie, IconPhoto } from '@tabler/icons-react'
import { useState } from 'react'
import { apiUrl } from '../api/call.ts'
import type { MediaRequest } from '../api/objects.ts'
import classes from './result-preview.module.css'

const WITH_FILES = new Set([
  'images/process',
  'videos/process',
  'videos/screenshot',
  'documents/process',
  'documents/snapshot',
])

export function ResultPreview({ request }: { request: Pick<MediaRequest, 'id' | 'endpoint' | 'status'> }) {
  const [missing, setMissing] = useState(false)
  const hasFile = request.status === 'succeeded' && WITH_FILES.has(request.endpoint)
  if (hasFile && !missing) {
    return (
      <img
        className={classes['image']}
        src={apiUrl(`/requests/${request.id}/preview`)}
        alt=""
        width={40}
        height={40}
        loading="lazy"
        onError={() => setMissing(true)}
      />
    )
  }
  const MediumIcon = request.endpoint.startsWith('images')
    ? IconPhoto
    : request.endpoint.startsWith('videos')
      ? IconMovie
      : IconFileText
  return (
    <span className={classes['icon']}>
      <MediumIcon size={18} stroke={1.6} aria-hidden="true" />
    </span>
  )
}
