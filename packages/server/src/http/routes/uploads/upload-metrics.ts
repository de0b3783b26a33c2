import type { Registry } from 'prom-client'
import { metricsOf } from '../../../telemetry/metrics.ts'
import type { UploadReceiver } from '../../../uploads/upload-receiver.ts'

export function measureUploads(registry: Registry, receiver: Pick<UploadReceiver, 'size'>): (bytes: number) => void {
  const { counter, gauge } = metricsOf(registry)
  const bytes = counter('upload_bytes_total', 'Bytes received for uploads, including failed uploads.')
  gauge('uploads_receiving', 'Uploads being received; at most 100 per process.', [], (metric) => {
    metric.set(receiver.size)
  })
  return (count) => bytes.inc(count)
}
