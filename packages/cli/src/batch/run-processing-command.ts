import { OperatorError } from '@mediamill/contract/domain/errors'
import { inParallel } from '@mediamill/sdk/src/batch/in-parallel'
import type { WaitNotice } from '@mediamill/sdk/src/transport/throttle'
import { expandInputs } from '../inputs/expand.ts'
import { openSpool } from '../inputs/spool.ts'
import { formatNamed } from '../operations/catalog.ts'
import type { Target } from '../outputs/target.ts'
import { checkNames, formatOfPaths, parseTarget } from '../outputs/target.ts'
import { toTerminal, writeOut } from '../terminal/output.ts'
import { UsageError } from '../usage-error.ts'
import type { BatchSettings, OpenedTemplate } from './batch-settings.ts'
import { interrupts } from './interrupts.ts'
import { openTemplate } from './open-template.ts'
import type { Planned } from './plan-jobs.ts'
import { planJobs } from './plan-jobs.ts'
import type { Language, ProcessingOptions } from './processing-options.ts'
import { describeFailures, openReport } from './report.ts'
import type { Ended } from './run-batch.ts'
import { runBatch } from './run-batch.ts'
import type { Finished, LocalRunner, Ready, Runner } from './runner.ts'

/** Opens the engines of this machine for `--local`. Only the `mediamill` of the server package has engines. */
export type OpenLocal = (planned: readonly Planned[]) => Promise<LocalRunner>

type CommandSettings = Pick<BatchSettings, 'verb' | 'operations' | 'outputs' | 'fields'>

export async function runProcessingCommand(
  words: readonly string[],
  settings: CommandSettings,
  options: ProcessingOptions,
  openLocal: OpenLocal | undefined,
): Promise<void> {
  const { signal } = interrupts()
  await using spool = openSpool(signal)
  const planned = await planCommand(words, spool.path, settings, options)
  if (options.print !== undefined) return await printCalls(planned, options.print)
  checkLocal(options, openLocal)
  if (options.estimate === true) return await (await import('./estimate-all.ts')).estimateAll(planned, options, signal)
  const isJson = options.json === true
  using report = openReport({ json: isJson, showsMetadata: settings.verb === 'read', total: planned.length })
  await using runner = await openRunner(planned, options, openLocal, signal, report.waited)
  const ended = await runBatch(runner, planned, {
    force: options.force === true,
    isJson,
    signal,
    listener: report,
  })
  report[Symbol.dispose]()
  reportFailures(ended, isJson)
}

/** Expands the inputs and plans a job for each. Rejects settings that do not match the inputs or the paths of results. */
async function planCommand(
  words: readonly string[],
  spool: () => Promise<string>,
  settings: CommandSettings,
  options: ProcessingOptions,
): Promise<Planned[]> {
  const { inputs, passedOver } = await expandInputs(words, spool)
  const target = await parseTarget(options.out, inputs, options.outFolder)
  const template = await openTemplate(settings, options)
  const outputs = outputsFor(target, settings.outputs)
  checkOutputs(outputs, template, options, target)
  const { customer, metadata, webhookUrl, format, media } = options
  const fields = { ...settings.fields, customer, metadata, webhook_url: webhookUrl }
  const planned = await planJobs(inputs, { ...settings, outputs, template, fields, format, media, target })
  checkNames(
    planned.flatMap((one) => {
      if ('rejection' in one || one.findsName) return []
      return one.paths.map((path) => ({ label: one.input.label, path }))
    }),
  )
  if (passedOver > 0) {
    process.stderr.write(
      passedOver === 1 ? '1 file of another kind is skipped.\n' : `${passedOver} files of other kinds are skipped.\n`,
    )
  }
  return planned
}

function checkLocal({ local, estimate }: ProcessingOptions, openLocal: OpenLocal | undefined): void {
  if (local !== true) return
  if (openLocal === undefined)
    throw new UsageError(
      '--local is not available in this installation, because it has no engines. Run npx mediamill in a checkout of Mediamill.',
    )
  if (estimate === true) throw new UsageError('--local is free, so it cannot be combined with --estimate.')
}

function outputsFor(target: Target, outputs: BatchSettings['outputs']): BatchSettings['outputs'] {
  const ending = outputs === undefined ? undefined : formatOfPaths(target, outputs.length)
  return ending === undefined ? outputs : outputs?.map((output) => ({ format: formatNamed(ending), ...output }))
}

function checkOutputs(
  outputs: BatchSettings['outputs'],
  template: OpenedTemplate | undefined,
  { format }: ProcessingOptions,
  target: Target,
): void {
  if (outputs !== undefined && format !== undefined)
    throw new UsageError('--format is for one file: set format in each --output.')
  const files = template?.files ?? outputs ?? []
  if (files.length > 1 && target.kind === 'stdout')
    throw new UsageError(`${files.length} files cannot be written to stdout: set -o, such as -o out/.`)
  const ending = formatOfPaths(target, files.length)
  if (ending === undefined) return
  const other = files.find(({ format }) => format !== undefined && format !== formatNamed(ending))
  if (other === undefined) return
  const maker = template === undefined ? '--output' : 'The template'
  throw new UsageError(`${maker} makes a file in the format ${other.format}, but -o ends with .${ending}.`)
}

async function openRunner(
  planned: readonly Planned[],
  options: ProcessingOptions,
  openLocal: OpenLocal | undefined,
  signal: AbortSignal,
  onWait: (notice: WaitNotice) => void,
): Promise<Runner> {
  if (options.local === true && openLocal !== undefined)
    return asRunner(await openLocal(planned), options.concurrency, signal)
  const { openRemoteRunner } = await import('../remote/runner.ts')
  return await openRemoteRunner(options, signal, onWait)
}

function asRunner(local: LocalRunner, concurrency = local.concurrency, signal: AbortSignal): Runner {
  return {
    run(jobs, { onProgress }) {
      const work = async (one: Ready): Promise<Finished> =>
        await local.run(one.job, { signal, onProgress: (text) => onProgress(one, text) }).then(
          (done) => ({ ...one, ok: true, done }),
          (error: unknown) => ({ ...one, ok: false, error }),
        )
      return inParallel(jobs, concurrency, work, { signal, abort: () => {} })
    },
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  }
}

async function printCalls(planned: readonly Planned[], language: Language): Promise<void> {
  const { filesToUpload, printCall } = await import('../print/print-call.ts')
  const texts = planned.map((one) => {
    if ('rejection' in one) throw one.rejection
    const { job, files, input } = one
    // Even if this command would write to stdout, the printed program saves the result to a file.
    const saveTo = one.paths.length > 0 ? one.paths : files.map(({ format }) => `${input.name}-result.${format}`)
    if (language === 'json') {
      for (const [index, path] of filesToUpload(job).entries()) {
        process.stderr.write(
          toTerminal(
            `upload:UPLOAD_${index + 1} is a placeholder for ${path}: replace it with the output of mediamill upload ${path}\n`,
          ),
        )
      }
    }
    return printCall({ job, saveTo }, language)
  })
  writeOut(`${texts.join('\n')}\n`)
}

function reportFailures(ended: readonly Ended[], isJson: boolean): void {
  const failed = ended.filter((one) => !one.ok)
  const [first] = failed
  if (first === undefined) return
  const { length: total } = ended
  if (total === 1) throw first.error
  if (!isJson) process.stderr.write(toTerminal(`\n${describeFailures(failed)}\n`))
  throw new OperatorError(
    failed.length === total ? `All ${total} inputs failed.` : `${failed.length} of ${total} inputs failed.`,
  )
}
