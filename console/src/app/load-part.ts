import { notifications } from '@mantine/notifications'
import { shared } from '../text.ts'
import { basePath } from './page-settings.ts'

const PAUSE_MS = 1500

/**
 * Returns a function that loads a code chunk. Waits while the service is unreachable. Throws if a new version has no
 * such chunk. The page then reloads.
 */
export const loadPart =
  <Part>(load: () => Promise<Part>): (() => Promise<Part>) =>
  async () => {
    try {
      return await load()
    } catch {
      await checkService()
      return await load()
    }
  }

async function checkService(): Promise<void> {
  const isThere = async () => {
    const response = await fetch(`${basePath}api/service`).catch(() => undefined)
    return response !== undefined
  }
  if (await isThere()) return
  const message = shared.pageOpensLater
  notifications.show({ id: 'away', message, loading: true, autoClose: false, withCloseButton: false })
  while (!(await isThere())) await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS))
  notifications.hide('away')
}
