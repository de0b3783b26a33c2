import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { before, suite, test } from 'node:test'
import { standing, trySandbox } from '@mediamill/lab/support/sandbox-of-host'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import { EngineProcess } from '../engine-process.ts'
import { readTree } from '../engine-tree.ts'
import { watchEngine } from '../engine-watch.ts'
import { openScratch } from '../scratch.ts'
import { findTool } from './command.ts'
import type { Isolation } from './isolation.ts'
import type { Candidate } from './sandbox-levels.ts'
import { candidates } from './sandbox-levels.ts'

const MIB = 1024 * 1024
const FAKE_ENGINE = join(import.meta.dirname, '../../../../../lab/fixtures/engines/fake-engine.ts')
const SOURCE = join(import.meta.dirname, '../../../../../lab/fixtures/hostile-probe.c')

const root = await sharedFolder('mediamill-probe-')
await chmod(root, 0o711)
const scratch = shared(await openScratch(join(root, 'scratch')))
const program = join(root, 'probe')

const compiler = findTool('cc')
if (compiler !== undefined) {
  const { status, stderr } = spawnSync(compiler, ['-O1', '-pthread', '-o', program, SOURCE], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

const LIMITS = { memoryBytes: 100 * MIB, cpuMs: 60_000, fileBytes: 100 * MIB }
const BOUNDS = { ...LIMITS, deadlineMs: 60_000, diskBytes: 100 * MIB, files: 100 }

async function start(sandbox: Candidate, ...words: string[]): Promise<EngineProcess> {
  const folder = scratch.engineFolder()
  const own = join(folder.path, 'probe')
  await copyFile(program, own)
  await chmod(own, 0o755)
  if (sandbox.user !== undefined)
    for (const path of [folder.path, own]) await chown(path, sandbox.user.uid, sandbox.user.gid)
  const setting = { ...LIMITS, entry: FAKE_ENGINE, folder: folder.path, mountPoint: scratch.mountPoint }
  const { args, ...command } = sandbox.command(setting, true)
  return new EngineProcess({ ...command, args: [...args.slice(0, -2), own, ...words] }, folder)
}

async function stopped(sandbox: Candidate, ...words: string[]): Promise<string> {
  await using engine = await start(sandbox, ...words)
  using watch = watchEngine(engine, { ...BOUNDS, signal: new AbortController().signal })
  const ended = engine.lost.then(({ message, stderr }) => `${message}: ${stderr}`)
  return await Promise.race([ended, watch.stopped.catch((error: Error) => error.message)])
}

async function resultsOf(sandbox: Candidate, ...words: string[]): Promise<Map<string, string>> {
  await using engine = await start(sandbox, ...words, 'end')
  const { stderr } = await engine.lost
  const lines = stderr.split('\n').flatMap((line) => /^(.+) (\w+)$/.exec(line) ?? [])
  return new Map(
    Array.from({ length: lines.length / 3 }, (_, at) => [lines[3 * at + 1] ?? '', lines[3 * at + 2] ?? '']),
  )
}

for (const candidate of candidates().slice(0, -1)) {
  suite(`a hostile engine in ${candidate.description}`, () => {
    let found: Isolation | string
    before(async () => {
      found = await trySandbox(candidate, { scratch, entries: [FAKE_ENGINE] })
    })
    const guarantee = (title: string, body: (sandbox: Isolation) => Promise<void>): void => {
      void test(title, async (t: TestContext) => {
        if (compiler === undefined) return t.skip('no C compiler is installed')
        // As root, the hostile program would have rights over the machine.
        if (candidate.tier === 'process' && candidate.user === undefined && process.getuid?.() === 0)
          return t.skip('this tier keeps the rights of root')
        const sandbox = standing(t, candidate, found)
        if (sandbox !== undefined) await body(sandbox)
      })
    }

    guarantee('a hostile engine cannot make system calls that engines do not need', async (sandbox) => {
      if (sandbox.tier === 'process') return
      const results = await resultsOf(sandbox, 'calls')
      assert.ok(results.size > 100, `only ${results.size} calls were tried`)
      // Landlock denies access to files, but does not hide them.
      const closed = sandbox.tier === 'landlock' ? 'EACCES' : 'ENOENT'
      assert.deepEqual([results.get('clone CLONE_NEWUSER'), results.get('/proc')], ['EPERM', closed])
      assert.equal(results.get('/dev/zero'), closed)
      if (!sandbox.isFiltered && findTool('perl') === undefined) return
      const others = [...results].filter(([, result]) => result !== 'ENOSYS')
      assert.deepEqual(Object.fromEntries(others), {
        TIOCSTI: 'EPERM',
        FS_IOC_GETFLAGS: 'EPERM',
        'shared anonymous memory': 'EPERM',
        'huge pages': 'EPERM',
        PR_SET_DUMPABLE: 'EPERM',
        '/dev/zero': closed,
        '/proc': closed,
        fork: 'EPERM',
        'clone CLONE_NEWUSER': 'EPERM',
        'clone without CLONE_THREAD': 'EPERM',
      })
    })

    guarantee('a hostile engine cannot use more memory than its limit in memfds', async (sandbox) => {
      if (sandbox.isFiltered) assert.equal((await resultsOf(sandbox, 'memfd', '200')).get('memfd_create'), 'ENOSYS')
      else assert.match(await stopped(sandbox, 'memfd', '200'), /more than 100 MB of memory/)
    })

    guarantee('a hostile engine cannot use more memory than its limit in page tables', async (sandbox) => {
      assert.match(await stopped(sandbox, 'tables', '200'), /more than 100 MB of memory/)
    })

    guarantee(
      'a hostile engine cannot use more memory than its limit in a process whose first thread has ended',
      async (sandbox) => {
        assert.match(await stopped(sandbox, 'leaderless', '200'), /more than 100 MB of memory/)
      },
    )

    guarantee(
      'a hostile engine cannot use more memory than its limit in shared memory that is mostly unmapped',
      async (sandbox) => {
        if (sandbox.isFiltered) assert.equal((await resultsOf(sandbox, 'shared', '200')).get('shared'), 'EPERM')
        else
          assert.match(
            await stopped(sandbox, 'shared', '200'),
            /mapped a deleted file that it had closed|more than 100 MB of memory/,
          )
      },
    )

    guarantee(
      'a hostile engine cannot use more memory than its limit in a memfd that is mapped and closed',
      async (sandbox) => {
        if (sandbox.isFiltered)
          assert.equal((await resultsOf(sandbox, 'mapped memfd', '200')).get('mapped memfd'), 'ENOSYS')
        else assert.match(await stopped(sandbox, 'mapped memfd', '90'), /mapped a deleted file that it had closed/)
      },
    )

    guarantee(
      'a hostile engine cannot use more disk space than its limit in a deleted file that is mapped and closed',
      async (sandbox) => {
        assert.match(await stopped(sandbox, 'mapped', '90'), /mapped a deleted file that it had closed/)
      },
    )

    guarantee('a hostile engine cannot use more disk space than its limit in files without a name', async (sandbox) => {
      assert.match(await stopped(sandbox, 'tmpfile', '200'), /more than 100 MB in 100 files on disk/)
      assert.match(await stopped(sandbox, 'unlinked', '200'), /more than 100 MB in 100 files on disk/)
    })

    guarantee('a hostile engine cannot hide files in folders that are too deep for any path', async (sandbox) => {
      if (sandbox.isFiltered) assert.equal((await resultsOf(sandbox, 'deep', '1')).get('mkdir'), 'EEXIST')
      else assert.match(await stopped(sandbox, 'deep', '1'), /a folder that cannot be read/)
    })

    guarantee('a hostile engine cannot start more and more processes', async (sandbox) => {
      if (sandbox.isFiltered) assert.equal((await resultsOf(sandbox, 'forks', '3000')).get('forks'), '0')
      else
        assert.match(await stopped(sandbox, 'forks', '3000'), /the engine ran \d+ processes|more than 100 MB of memory/)
      assert.deepEqual((await readTree(process.pid)).pids, [process.pid])
    })
  })
}

/** Perl expressions of the tested Landlock versions. Version 1 cannot restrict truncation, TCP, and signals. */
const LANDLOCK_VERSIONS = { 'of this kernel': 'landlock(0, 0, 0, 1)', 'of Linux 5.13': '1' }

for (const [name, version] of Object.entries(LANDLOCK_VERSIONS)) {
  suite(`a hostile engine in Landlock ${name}`, () => {
    const [landlock] = candidates().filter(({ tier }) => tier === 'landlock')
    const guarantee = (title: string, body: (sandbox: Candidate) => Promise<void>): void => {
      void test(title, async (t) => {
        if (compiler === undefined || landlock === undefined) return t.skip('no C compiler or no Perl is installed')
        const asKernel: Candidate = {
          ...landlock,
          command(setting, isBare) {
            const { args, ...rest } = landlock.command(setting, isBare)
            return { ...rest, args: args.map((word) => word.replace('landlock(0, 0, 0, 1)', version)) }
          },
        }
        const found = await trySandbox(asKernel, { scratch, entries: [FAKE_ENGINE] })
        const sandbox = standing(t, asKernel, found)
        if (sandbox !== undefined) await body(sandbox)
      })
    }

    guarantee('a hostile engine cannot signal, trace, limit, or read another process of its user', async (sandbox) => {
      const { uid, gid } = sandbox.user ?? {}
      const other = spawn('sleep', ['60'], { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) })
      await once(other, 'spawn')
      const results = await resultsOf(sandbox, 'process', String(other.pid))
      assert.equal(other.exitCode ?? other.signalCode, null)
      other.kill()
      assert.deepEqual(Object.fromEntries(results), {
        kill: 'EPERM',
        'kill group': 'EPERM',
        'kill all': 'EPERM',
        tgkill: 'EPERM',
        tkill: 'EPERM',
        rt_sigqueueinfo: 'ENOSYS',
        pidfd_send_signal: 'ENOSYS',
        F_SETOWN: 'EPERM',
        F_SETOWN_EX: 'EPERM',
        F_SETSIG: 'EPERM',
        F_SETLEASE: 'EPERM',
        prlimit64: 'EPERM',
        setpriority: 'EPERM',
        'setpriority user': 'EPERM',
        sched_setaffinity: 'EPERM',
        ptrace: 'ENOSYS',
        process_vm_readv: 'ENOSYS',
        pidfd_open: 'ENOSYS',
        environ: 'EACCES',
        mem: 'EACCES',
        maps: 'EACCES',
        cmdline: 'EACCES',
        'root/etc/passwd': 'EACCES',
        cwd: 'EACCES',
        'own signal': 'ok',
      })
    })

    guarantee(
      'a hostile engine cannot read, change, or move a file of its user outside its folder',
      async (sandbox) => {
        const folder = join(root, `other-${version.length}`)
        const path = join(folder, 'file')
        await mkdir(folder)
        await writeFile(path, 'theirs', { mode: 0o600 })
        if (sandbox.user !== undefined)
          for (const each of [folder, path]) await chown(each, sandbox.user.uid, sandbox.user.gid)
        const results = await resultsOf(sandbox, 'file', path)
        // An engine may read the folder of its code. Here, that folder contains the file.
        const asCode: Candidate = {
          ...sandbox,
          command: (setting, isBare) => sandbox.command({ ...setting, entry: join(folder, 'entry') }, isBare),
        }
        const codeResults = await resultsOf(asCode, 'file', path)
        assert.deepEqual([await readdir(folder), await readFile(path, 'utf8')], [['file'], 'theirs'])
        assert.deepEqual(Object.fromEntries(codeResults), { ...Object.fromEntries(results), read: 'ok' })
        assert.deepEqual(Object.fromEntries(results), {
          read: 'EACCES',
          write: 'EACCES',
          truncate: 'EPERM',
          O_TRUNC: 'EPERM',
          'O_TRUNC without a mode': 'EPERM',
          rename: 'EACCES',
          unlink: 'EACCES',
          link: 'ENOSYS',
          symlink: 'ENOSYS',
          chmod: 'ENOSYS',
          'own O_TRUNC': 'ok',
        })
      },
    )
  })
}
