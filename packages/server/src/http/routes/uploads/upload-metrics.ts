import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { UploadReceiver } from '../../../uploads/upload-receiver.ts'

export function measureUploads(registry: Registry, receiver: Pick<UploadReceiver, 'size'>): (bytes: number) => void {
  const bytes = new Counter({
    name: 'mediamill_upload_bytes_total',
    help: 'Bytes received for uploads, including failed uploads.',
    registers: [registry],
  })
  new Gauge({
    name: 'mediamill_uploads_receiving',
    help: 'Uploads being received; at most 100 per process.',
    registers: [registry],
    collect() {
      this.set(receiver.size)
    },
  })
  return (count) => bytes.inc(count)
}
