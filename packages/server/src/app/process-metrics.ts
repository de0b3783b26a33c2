import { statfs } from 'node:fs/promises'
import type { Registry } from 'prom-client'
import { Counter, Gauge, Histogram } from 'prom-client'
import { programVersion } from '../lib/program-version.ts'
import type { Store } from '../store/store.ts'

export function showBuild(registry: Registry): void {
  const { version, commit = '' } = programVersion()
  new Gauge({
    name: 'mediamill_build_info',
    help: '1; the labels are the version and the commit of the process.',
    labelNames: ['version', 'commit'] as const,
    registers: [registry],
  }).set({ version, commit }, 1)
}

export function showDisk(registry: Registry, folder: string): void {
  const space = () => statfs(folder).catch(() => undefined)
  new Gauge({
    name: 'mediamill_disk_free_bytes',
    help: 'Bytes of the disk of DATA_DIR that the process can still use.',
    registers: [registry],
    async collect() {
      const { bavail, bsize } = (await space()) ?? { bavail: Number.NaN, bsize: 1 }
      this.set(bavail * bsize)
    },
  })
  new Gauge({
    name: 'mediamill_disk_size_bytes',
    help: 'Size of the disk of DATA_DIR.',
    registers: [registry],
    async collect() {
      const { blocks, bsize } = (await space()) ?? { blocks: Number.NaN, bsize: 1 }
      this.set(blocks * bsize)
    },
  })
}

const STORE_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type StoreOperation = 'put' | 'write' | 'open' | 'delete' | 'check'

export function measureStore(
  registry: Registry,
  store: Store,
  onEnd: (operation: StoreOperation, error?: unknown) => void,
): Store {
  const seconds = new Histogram({
    name: 'mediamill_store_seconds',
    help: 'Duration of store operations: put, write, open, delete, check.',
    labelNames: ['operation'] as const,
    buckets: STORE_BUCKETS,
    registers: [registry],
  })
  const errors = new Counter({
    name: 'mediamill_store_errors_total',
    help: 'Store operations that failed.',
    labelNames: ['operation'] as const,
    registers: [registry],
  })
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
