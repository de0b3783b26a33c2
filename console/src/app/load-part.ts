import { notifications } from '@mantine/notifications'
import { basePath } from './page-settings.ts'

const PAUSE_MS = 1500

/**
 * Loads a part of the console that comes when it is needed. While the service is away it waits for it, and says so.
 *
 * A part that is not there although the service is belongs to another version: it throws, and the page is loaded anew.
 */
export const loadPart =
  <Part>(load: () => Promise<Part>): (() => Promise<Part>) =>
  async () => {
    try {
      return await load()
    } catch {
      await serviceAnswers()
      return await load()
    }
  }

async function serviceAnswers(): Promise<void> {
  const isThere = async () => {
    const answer = await fetch(`${basePath}api/service`).catch(() => undefined)
    return answer !== undefined
  }
  if (await isThere()) return
  const message = 'The service does not answer. This page opens as soon as it does.'
  notifications.show({ id: 'away', message, loading: true, autoClose: false, withCloseButton: false })
  while (!(await isThere())) await new Promise((resolve) => void setTimeout(resolve, PAUSE_MS))
  notifications.hide('away')
}
