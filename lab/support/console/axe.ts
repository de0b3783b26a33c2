import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

type Found = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] }

/** Returns the violations that axe finds (WCAG 2.2 AA, best practices). axe runs outside the page's content policy. */
export async function axeViolations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  try {
    const { frameTree } = await session.send('Page.getFrameTree')
    const { executionContextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    })
    const evaluate = async (expression: string) =>
      await session.send('Runtime.evaluate', {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      })
    await evaluate(`${axe}; undefined`)
    const options = JSON.stringify({ runOnly: { type: 'tag', values: TAGS }, resultTypes: ['violations'] })
    const { result, exceptionDetails } = await evaluate(
      `axe.run(document, ${options}).then(({ violations }) => violations)`,
    )
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
    return (result.value as Found[]).flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
    )
  } finally {
    await session.detach()
  }
}
