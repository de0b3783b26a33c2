import { IconFileText, IconMovie, IconPhoto } from '@tabler/icons-react'
import { useState } from 'react'
import { apiUrl } from '../api/call.ts'
import type { MediaRequest } from '../api/objects.ts'
import { useSession } from '../api/queries/session.ts'
import classes from './thumbnail.module.css'

const DRAWN = new Set(['images/process', 'videos/screenshot', 'documents/process', 'documents/snapshot'])

/** A small picture of what a request made, or a sign of what it works on. */
export function Thumbnail({ request }: { request: Pick<MediaRequest, 'id' | 'endpoint' | 'status'> }) {
  const { service } = useSession()
  const [missing, setMissing] = useState(false)
  const hasOne = service.thumbnails && request.status === 'succeeded' && DRAWN.has(request.endpoint) && !missing
  if (hasOne) {
    return (
      <img
        className={classes['picture']}
        src={apiUrl(`/requests/${request.id}/thumbnail`)}
        alt=""
        width={40}
        height={40}
        loading="lazy"
        onError={() => setMissing(true)}
      />
    )
  }
  const Drawing = request.endpoint.startsWith('images')
    ? IconPhoto
    : request.endpoint.startsWith('videos')
      ? IconMovie
      : IconFileText
  return (
    <span className={classes['sign']}>
      <Drawing size={18} stroke={1.6} aria-hidden="true" />
    </span>
  )
}
