import { statfs } from 'node:fs/promises'
import type { Registry } from 'prom-client'
import { programVersion } from '../lib/program-version.ts'
import type { Store } from '../store/store.ts'
import { metricsOf } from '../telemetry/metrics.ts'

export function showBuild(registry: Registry): void {
  const { gauge } = metricsOf(registry)
  const { version, commit = '' } = programVersion()
  gauge('build_info', '1; the labels are the version and the commit of the process.', ['version', 'commit']).set(
    { version, commit },
    1,
  )
}

export function showDisk(registry: Registry, folder: string): void {
  const { gauge } = metricsOf(registry)
  const space = () => statfs(folder).catch(() => undefined)
  gauge('disk_free_bytes', 'Bytes of the disk of DATA_DIR that the process can still use.', [], async (metric) => {
    const { bavail, bsize } = (await space()) ?? { bavail: Number.NaN, bsize: 1 }
    metric.set(bavail * bsize)
  })
  gauge('disk_size_bytes', 'Size of the disk of DATA_DIR.', [], async (metric) => {
    const { blocks, bsize } = (await space()) ?? { blocks: Number.NaN, bsize: 1 }
    metric.set(blocks * bsize)
  })
}

const STORE_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type StoreOperation = 'put' | 'write' | 'open' | 'delete' | 'check'

export function measureStore(
  registry: Registry,
  store: Store,
  onEnd: (operation: StoreOperation, error?: unknown) => void,
): Store {
  const { counter, histogram } = metricsOf(registry)
  const seconds = histogram(
    'store_seconds',
    'Duration of store operations: put, write, open, delete, check.',
    ['operation'],
    STORE_BUCKETS,
  )
  const errors = counter('store_errors_total', 'Store operations that failed.', ['operation'])
  const ofBodies = new WeakSet<object>()
  const measured =
    <Args extends unknown[], Result>(operation: StoreOperation, run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const stop = seconds.startTimer({ operation })
      try {
        const result = await run(...args)
        onEnd(operation)
        return result
      } catch (error) {
        if (!(error instanceof Error && ofBodies.has(error))) {
          errors.inc({ operation })
          onEnd(operation, error)
        }
        throw error
      } finally {
        stop()
      }
    }
  for (const operation of ['put', 'write', 'open', 'delete', 'check'] as const) errors.inc({ operation }, 0)
  return {
    ...store,
    put: measured('put', (...args: Parameters<Store['put']>) => store.put(...args)),
    write: measured('write', (key: string, body: AsyncIterable<Buffer>) => store.write(key, noted(body, ofBodies))),
    open: measured('open', (...args: Parameters<Store['open']>) => store.open(...args)),
    delete: measured('delete', (...args: Parameters<Store['delete']>) => store.delete(...args)),
    check: measured('check', () => store.check()),
  }
}

async function* noted(body: AsyncIterable<Buffer>, errors: WeakSet<object>): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    if (error instanceof Error) errors.add(error)
    throw error
  }
}
