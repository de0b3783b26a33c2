import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { OperatorError, RequestFailure } from '@mediamill/contract/domain/errors'
import { until } from '@mediamill/lab/support/process'
import { IN_PLAIN_CONTAINER, standing, trySandbox } from '@mediamill/lab/support/sandbox-of-host'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import pino from 'pino'
import type { EngineHostOptions, RunOptions } from '../engine-host.ts'
import { createEngineHost } from '../engine-host.ts'
import { readTree } from '../engine-tree.ts'
import { openScratch } from '../scratch.ts'
import { findTool } from './command.ts'
import type { Isolation } from './isolation.ts'
import { chooseIsolation, IsolationError, startEngine } from './isolation.ts'
import type { Candidate } from './sandbox-levels.ts'
import { candidates } from './sandbox-levels.ts'
import { engineFilter } from './seccomp-filter.ts'

const MIB = 1024 * 1024
const FAKE_ENGINE = join(import.meta.dirname, '../../../../../lab/fixtures/engines/fake-engine.ts')
const SANDBOX_PROBE = join(import.meta.dirname, 'sandbox-probe.ts')
const log = pino({ level: 'silent' })

const root = await sharedFolder('mediamill-isolation-')
// Engines that run as another user must be able to enter the folder. A real service's data folder allows this too.
await chmod(root, 0o711)
const scratch = shared(await openScratch(join(root, 'scratch')))

const PROBE = { memoryBytes: 512 * MIB, cpuMs: 60_000, fileBytes: MIB }
const NOTHING = { files: false, jobs: false, network: false, processes: false }
const ALL = { files: true, jobs: true, network: true, processes: true }
const FOUND = candidates()

function startHost(isolation: Isolation, options: Partial<EngineHostOptions> = {}) {
  return createEngineHost({
    name: 'fake-engine',
    entry: FAKE_ENGINE,
    concurrency: 1,
    memoryBytes: 512 * MIB,
    cpuMs: 60_000,
    fileBytes: MIB,
    jobsPerProcess: 100,
    isolation,
    scratch,
    log,
    ...options,
  })
}

type Host = ReturnType<typeof startHost>

type Given = Partial<RunOptions> & { bytes?: number; read?: string; write?: string }

async function run(host: Host, act: string, given: Given = {}) {
  await using folder = scratch.jobFolder()
  const path = join(folder.path, 'source')
  await writeFile(path, 'source bytes', { mode: 0o600 })
  const job = {
    task: 'images/process',
    input: { path, format: 'PNG' as const, size: 12 },
    assets: [],
    parameters: { act, bytes: given.bytes ?? 0, read: given.read ?? '', write: given.write ?? '' },
    scratch: folder.path,
    limits: { maxFramePixels: 1e8, maxSourcePixels: 4e8, maxResultBytes: 8 * MIB },
  }
  const done = await host.run(job, { signal: new AbortController().signal, deadlineMs: 20_000, ...given })
  const [file] = done.files
  const owner = file === undefined ? undefined : (await stat(file.path)).uid
  return { data: done.data, owner, text: file === undefined ? undefined : await readFile(file.path, 'utf8') }
}

type Probed = { tier: Candidate['tier']; isOtherUser: boolean; result: Isolation['reach'] | string }
type Worker = { pid: number; found: Probed[] }

async function tryAsWorker(t: TestContext, name: string, words: readonly string[]): Promise<Worker | undefined> {
  const [file = '', ...args] = words
  if (spawnSync(file, [...args, 'true']).status !== 0) {
    t.skip('this host lets no test make the namespaces')
    return undefined
  }
  const program = join(import.meta.dirname, '../../../../../lab/fixtures/lone-worker.ts')
  const { stdout } = await promisify(execFile)(file, [...args, process.execPath, program, join(root, name)])
  return JSON.parse(stdout) as Worker
}

// The sandbox also has a process with the worker's small id. The worker ignores SIGHUP, as under `nohup`.
test("the sandbox probe gives the correct result even if the worker's process id also exists inside the sandbox", async (t) => {
  const own = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const asContainer = [...own, '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc']
  // The shell has the process id 1 and waits for the worker, like an init process.
  const asSecond = ['sh', '-c', 'trap "" HUP; "$@"; exit $?', 'sh']
  const worker = await tryAsWorker(t, 'lone', ['unshare', ...asContainer, ...asSecond])
  if (worker === undefined) return
  assert.equal(worker.pid, 2)
  for (const { tier, isOtherUser, result } of worker.found) {
    if (typeof result === 'string') assert.doesNotMatch(result, /a test program reached/)
    else if (tier !== 'process') assert.deepEqual(result, NOTHING)
    else if (isOtherUser) assert.deepEqual(result, { ...ALL, files: false, processes: false })
    else assert.deepEqual(result, ALL)
  }
})

test('in a container without user namespaces and capabilities, Landlock is the strongest sandbox that works', async (t) => {
  const worker = await tryAsWorker(t, 'pod', IN_PLAIN_CONTAINER)
  const landlock = worker?.found.find(({ tier }) => tier === 'landlock')
  if (landlock === undefined) return
  for (const { tier, result } of worker?.found ?? [])
    if (tier === 'bubblewrap' || tier === 'namespaces') assert.equal(typeof result, 'string')
  if (typeof landlock.result === 'string') assert.match(landlock.result, /landlock: Landlock: /)
  else assert.deepEqual(landlock.result, NOTHING)
})

test('an engine does not inherit a file descriptor that the shell of the worker left open', async () => {
  const program = join(import.meta.dirname, '../../../../../lab/fixtures/worker-with-descriptor.ts')
  await using secret = await open(join(root, 'secret of the shell'), 'w')
  const stdio = [...(['ignore', 'pipe', 'inherit'] as const), ...Array<'ignore'>(17).fill('ignore'), secret.fd]
  const worker = spawn(process.execPath, [program, join(root, 'leaking'), FAKE_ENGINE], { stdio })
  const found = JSON.parse(await text(worker.stdout ?? assert.fail()))
  assert.ok(found.length > 0)
  for (const { tier, processes, programs } of found) {
    assert.ok(processes > 0, tier)
    assert.deepEqual(programs, [], tier)
  }
})

// The last candidate is the plain process. The tests of the engine host already use it.
for (const [index, candidate] of FOUND.slice(0, -1).entries()) {
  suite(candidate.description, () => {
    let found: Isolation | string
    before(async () => {
      found = await trySandbox(candidate, { scratch, entries: [FAKE_ENGINE] })
    })
    const guarantee = (title: string, body: (isolation: Isolation) => Promise<void>): void => {
      void test(title, async (t) => {
        const sandbox = standing(t, candidate, found)
        if (sandbox !== undefined) await body(sandbox)
      })
    }

    guarantee(
      'the test program in a sandbox reaches only the resources that the sandbox level allows',
      async ({ tier, user, reach }) => {
        if (tier !== 'process') assert.deepEqual(reach, NOTHING)
        else if (user === undefined) assert.deepEqual(reach, ALL, 'the probe sees what is not walled off')
        else assert.deepEqual(reach, { ...ALL, files: false, processes: false })
      },
    )

    guarantee(
      'an engine works in a sandbox, gets no environment variables of the service, and cannot write a file above its limit',
      async (sandbox) => {
        await using host = startHost(sandbox)
        const { text, owner } = await run(host, 'finish')
        assert.deepEqual([text, owner], ['source bytes', process.getuid?.()])

        const { data } = await run(host, 'variables')
        const own = ['FONTCONFIG_FILE', 'HOME', 'LANG', 'MALLOC_ARENA_MAX', 'OPENSSL_CONF', 'PWD', 'TMPDIR', 'TZ']
        assert.deepEqual(
          words(data['variables']).filter((name) => !own.includes(name)),
          [],
        )

        assert.equal((await run(host, 'write', { bytes: MIB })).text?.length, MIB)
        await assert.rejects(run(host, 'write', { bytes: MIB + 1 }), RequestFailure)
      },
    )

    guarantee(
      'an engine has kernel limits for resources whose use can grow faster than the worker checks it',
      async (sandbox) => {
        await using host = startHost(sandbox, { memoryBytes: 512 * MIB, cpuMs: 60_000 })
        await run(host, 'finish')
        if (findTool('prlimit') === undefined) return
        const { pids } = await readTree(process.pid)
        const limits = await Promise.all(pids.filter((pid) => pid !== process.pid).map(limitsOf))
        assert.ok(limits.length > 0)
        for (const found of limits) {
          assert.equal(found('core file size'), 0)
          assert.equal(found('open files'), 1024)
          assert.equal(found('file size'), MIB)
          assert.equal(found('data size'), 2.5 * 1024 * MIB)
          assert.equal(found('cpu time'), 305)
          if (sandbox.tier === 'process' && sandbox.user !== undefined) assert.equal(found('processes'), 4096)
        }
        const { data } = await run(host, 'openFiles')
        assert.ok(Number(data['opened']) > 900 && Number(data['opened']) < 1024)
        assert.ok(Number((await run(host, 'gulp', { bytes: 8 * 1024 * MIB })).data['given']) <= 2.5 * 1024 * MIB)
      },
    )

    guarantee('an engine has no capabilities and cannot gain any', async (sandbox) => {
      await using host = startHost(sandbox)
      await run(host, 'finish')
      // The last process of the tree is the engine itself, inside the sandbox.
      const { pids } = await readTree(process.pid)
      const status = await readFile(`/proc/${pids.at(-1)}/status`, 'utf8')
      const field = (name: string) => new RegExp(`^${name}:\\s+(\\w+)`, 'm').exec(status)?.[1]
      assert.equal(field('NoNewPrivs'), '1')
      if (sandbox.tier === 'process' && sandbox.user === undefined) return
      // Only root can clear the bounding set. Without root, "no new privileges" prevents new capabilities.
      const cannotClear = sandbox.tier === 'landlock' && sandbox.user === undefined
      for (const set of ['CapEff', 'CapPrm', 'CapInh', 'CapAmb', ...(cannotClear ? [] : ['CapBnd'])]) {
        assert.equal(Number.parseInt(field(set) ?? '', 16), 0, set)
      }
      if (sandbox.user !== undefined) assert.equal(field('Uid'), String(sandbox.user.uid))
    })

    guarantee(
      'an engine’s own JavaScript reads only code and its folder, and writes only to its folder',
      async (sandbox) => {
        await using host = startHost(sandbox)
        const read = ['/proc/self/environ', '/etc/passwd', '/lib', import.meta.filename].join(' ')
        const write = `/tmp/mediamill-trespass ${join(root, 'trespass')} ${FAKE_ENGINE}`
        const { data } = await run(host, 'trespass', { read, write })
        assert.deepEqual([data['read'], data['written']], [import.meta.filename, ''])
      },
    )

    guarantee('in a sandbox only the engine’s folder is writable, also for native code', async (sandbox) => {
      if (sandbox.tier === 'process') return
      const folders = [
        '/x',
        '/dev/x',
        '/dev/shm/x',
        '/tmp/x',
        '/lib/x',
        '/usr/lib/x',
        '/etc/x',
        `${FAKE_ENGINE}.x`,
        FAKE_ENGINE,
      ]
      await using engine = startEngine(sandbox, scratch, { entry: FAKE_ENGINE, ...PROBE }, true)
      await engine.ready
      const own = join(engine.folder.path, 'x')
      const response = await engine.sendJob(
        {
          task: 'x',
          input: { path: own, format: 'PNG', size: 0 },
          assets: [],
          parameters: { act: 'trespass', write: [own, ...folders].join(' ') },
          scratch: engine.folder.path,
          limits: { maxFramePixels: 0, maxSourcePixels: 0, maxResultBytes: 0 },
        },
        { progress() {}, grant: () => Promise.reject(new Error('it asks for nothing')) },
      )
      assert.ok(response.type === 'done')
      assert.equal(response.data['written'], own)
    })

    void test('the worker rejects a sandbox in which the test program can signal the worker', async (t) => {
      if (candidate.tier === 'process') return
      if (candidate.user !== undefined) return t.skip('another user cannot signal the worker')
      const sandbox = standing(t, candidate, found)
      if (sandbox === undefined) return
      const shared: Candidate = {
        ...sandbox,
        command(setting, isBare) {
          const { args, ...rest } = sandbox.command(setting, isBare)
          if (sandbox.tier === 'landlock') {
            const unscoped = args.map((word) => word.replace('$version > 5 ? 3 : 0', '0'))
            return { ...rest, args: unscoped, filter: engineFilter() }
          }
          const all = ['--unshare-net', '--unshare-ipc', '--unshare-uts']
          const without = args.filter((word) => word !== '--pid')
          return { ...rest, args: without.flatMap((word) => (word === '--unshare-all' ? all : [word])) }
        },
      }
      const result = await trySandbox(shared, { scratch, entries: [FAKE_ENGINE] })
      assert.ok(typeof result === 'string')
      assert.match(result, /: a test program reached processes\)/)
    })

    guarantee('the worker rejects a sandbox whose seccomp filter is not active', async (sandbox) => {
      if (!sandbox.isFiltered) return
      const unfiltered: Candidate = {
        ...sandbox,
        command(setting, isBare) {
          const { args, ...rest } = sandbox.command(setting, isBare)
          const flag = args.indexOf('--seccomp')
          // For sandboxes other than bubblewrap, Perl installs the filter.
          const unloaded = args.map((word) => word.replace(/^open my \$pipe[^]*(?=^exec)/m, ''))
          return { ...rest, args: flag === -1 ? unloaded : args.toSpliced(flag, 2) }
        },
      }
      const result = await trySandbox(unfiltered, { scratch, entries: [FAKE_ENGINE] })
      assert.ok(typeof result === 'string')
      assert.match(result, /no seccomp filter is active/)
    })

    guarantee(
      'a sandbox starts without the modules of Perl, which the container image does not contain',
      async (sandbox) => {
        if (sandbox.tier !== 'namespaces' && sandbox.tier !== 'landlock') return
        const withoutModules: Candidate = {
          ...sandbox,
          command(setting, isBare) {
            const { args, ...rest } = sandbox.command(setting, isBare)
            return {
              ...rest,
              args: args.map((word, at) => (args[at - 1] === '-e' ? `BEGIN { @INC = () } ${word}` : word)),
            }
          },
        }
        assert.equal(typeof (await trySandbox(withoutModules, { scratch, entries: [FAKE_ENGINE] })), 'object')
      },
    )

    guarantee(
      'the test program still reports its other attempts if it sends a signal to its own process id',
      async (sandbox) => {
        if (sandbox.tier === 'process') return
        await using probe = startEngine(sandbox, scratch, { entry: SANDBOX_PROBE, ...PROBE }, true)
        await probe.ready
        // In a sandbox, the test program has the process id 1 or 2.
        for (const target of [1, 2]) {
          const response = await probe.sendJob(
            {
              task: 'sandbox probe',
              input: { path: '/gone', format: 'PNG', size: 0 },
              assets: [],
              parameters: { secret: '/gone', other: '/gone', port: 0, target, word: '=' },
              scratch: probe.folder.path,
              limits: { maxFramePixels: 0, maxSourcePixels: 0, maxResultBytes: 0 },
            },
            { progress() {}, grant: () => Promise.reject(new Error('it asks for nothing')) },
          )
          assert.ok(response.type === 'done')
          assert.equal(response.data['processes'], false)
        }
      },
    )

    guarantee('an abort and the memory limit leave no process of the engine', async (sandbox) => {
      // A one-shot host keeps no idle process.
      await using host = startHost(sandbox, { jobsPerProcess: 1, startsAhead: false, memoryBytes: 200 * MIB })
      const abort = new AbortController()
      const stop = () => abort.abort(new Error('stop'))
      await assert.rejects(run(host, 'spin', { signal: abort.signal, onProgress: stop }), /^Error: stop$/)
      assert.deepEqual((await readTree(process.pid)).pids, [process.pid])
      await assert.rejects(run(host, 'hog'), /more than 200 MB of memory/)
      assert.deepEqual((await readTree(process.pid)).pids, [process.pid])
    })

    guarantee(
      'an engine in an endless loop ends with its killed worker, and the next worker removes its files',
      async () => {
        const shared = join(root, `killed-${index}`)
        const program = join(import.meta.dirname, '../../../../../lab/fixtures/spinning-worker.ts')
        const worker = spawn(process.execPath, [program, shared, String(index)], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        await once(worker.stdout, 'data')
        const { pids } = await readTree(worker.pid ?? 0)
        assert.ok(pids.length > 1)
        worker.kill('SIGKILL')
        await once(worker, 'exit')
        for (const pid of pids) await until(async () => (await readTree(pid)).pids.length === 0)
        const next = await openScratch(shared)
        await next[Symbol.asyncDispose]()
        assert.deepEqual(await readdir(shared), [])
      },
    )
  })
}

async function limitsOf(pid: number): Promise<(name: string) => number> {
  const text = await readFile(`/proc/${pid}/limits`, 'utf8')
  return (name) => Number(new RegExp(`^Max ${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1])
}

const words = (text: unknown) => String(text).split(' ')

test('if the test program reaches files or processes outside its sandbox, `auto` tries the next level and `require-sandbox` fails [operator.settings.6]', async () => {
  const plain = FOUND.at(-1)
  assert.ok(plain)
  const sham: Candidate = { ...plain, tier: 'namespaces', description: 'sham' }
  const options = { scratch, entries: [FAKE_ENGINE], log, candidates: [sham, plain] }
  assert.equal((await chooseIsolation({ ...options, setting: 'auto' })).tier, 'process')
  await assert.rejects(chooseIsolation({ ...options, setting: 'require-sandbox' }), (error) => {
    assert(error instanceof IsolationError)
    assert(error instanceof OperatorError, 'a command prints it as one line')
    assert.match(
      error.message,
      /^ISOLATION=require-sandbox, but .*a test program reached files, jobs, network, processes/,
    )
    assert.equal(error.message.includes('\n'), false)
    return true
  })
})

test('the worker does not choose a sandbox in which an engine cannot start', async () => {
  const candidates = FOUND.slice(-1)
  const options = {
    setting: 'auto' as const,
    scratch,
    entries: [FAKE_ENGINE, join(root, 'missing.ts')],
    log,
    candidates,
  }
  await assert.rejects(chooseIsolation(options), IsolationError)
})

test('with the setting `process`, the worker uses no sandbox even if one is available [operator.settings.6]', async () => {
  const { tier } = await chooseIsolation({ setting: 'process', scratch, entries: [], log })
  assert.equal(tier, 'process')
})

test('if a sandbox test is killed from outside, the worker repeats the test, and does not choose a weaker sandbox', async (t) => {
  const [first] = FOUND
  assert.ok(first)
  const strongest = standing(t, first, await trySandbox(first, { scratch, entries: [FAKE_ENGINE] }))
  if (strongest === undefined) return
  const mark = join(root, 'killed')
  const dieTwice = 'if mkdir "$1" || mkdir "$1.too"; then kill -9 $$; fi 2>/dev/null; shift; exec "$@"'
  const killed: Candidate = {
    ...strongest,
    command(setting, isBare) {
      const { file, args, ...rest } = strongest.command(setting, isBare)
      return { ...rest, file: '/bin/sh', args: ['-c', dieTwice, 'sh', mark, file, ...args] }
    },
  }
  const candidates = [killed, ...FOUND.slice(-1)]
  const chosen = await chooseIsolation({ setting: 'auto', scratch, entries: [FAKE_ENGINE], log, candidates })
  assert.equal(chosen.description, strongest.description)
  assert.equal((await stat(`${mark}.too`)).isDirectory(), true)
})
