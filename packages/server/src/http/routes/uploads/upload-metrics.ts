import type { Registry } from 'prom-client'
import { Counter, Gauge } from 'prom-client'
import type { UploadDesk } from '../../../uploads/desk.ts'

/** Counts what uploads bring to this process. Returns what is to be told of every byte. */
export function measureUploads(registry: Registry, desk: Pick<UploadDesk, 'size'>): (bytes: number) => void {
  const bytes = new Counter({
    name: 'mediamill_upload_bytes_total',
    help: 'Bytes of uploads that came to this process, also of those that came to nothing.',
    registers: [registry],
  })
  new Gauge({
    name: 'mediamill_uploads_receiving',
    help: 'Bodies of uploads that this process receives now.',
    registers: [registry],
    collect() {
      this.set(desk.size)
    },
  })
  return (count) => bytes.inc(count)
}
