import type { Wall } from './wall.ts'
import { wallsOf } from './wall.ts'

const HOST = ['src/worker/engine-host.test.ts']
const REPLY = ['src/worker/engine-reply.test.ts']
const RESULTS = ['src/worker/engine-results.test.ts']
const ISOLATION = ['src/worker/isolation.test.ts']

/** What stands around the processes that decode strangers' files. */
export const ENGINES: readonly Wall[] = [
  ...wallsOf('src/worker/engine-watch.ts', HOST, {
    'an abort': ["bounds.signal.addEventListener('abort', abort, { once: true })", ''],
    'a deadline': ['  }, bounds.deadlineMs)', '  }, 600_000)'],
    'processor time': ['if (cpuMs - cpuMsBefore > bounds.cpuMs)', 'if (false)'],
    'processor time of each job by itself': ['cpuMsBefore ??= cpuMs', 'cpuMsBefore ??= 0'],
    memory: ['if (residentBytes > bounds.memoryBytes)', 'if (false)'],
    'processes and threads': ['if (pids.length > MAX_PROCESSES || threads > MAX_THREADS)', 'if (false)'],
    threads: ['threads > MAX_THREADS', 'false'],
    'files and bytes on disk': ['if (files <= MAX_FILES && bytes <= bounds.diskBytes) return', 'return'],
    'files on disk': ['files <= MAX_FILES && bytes', 'bytes'],
    'bytes on disk': [' && bytes <= bounds.diskBytes) return', ') return'],
  }),
  ...wallsOf('src/worker/engine-process.ts', HOST, {
    'what an engine left behind in its group': ['signalAll([-pid, ...pids])', 'signalAll([pid, ...pids])'],
    'what an engine started in a session of its own': ['signalAll([-pid, ...pids])', 'signalAll([-pid])'],
    'a line without end': ['if (this.#line.length > MAX_LINE_CHARACTERS ||', 'if ('],
    'replies without end': [' || this.#received > MAX_JOB_CHARACTERS)', ')'],
    'a reply to no job': [
      "if (pending === undefined) return this.#refuse('a reply to no job')",
      'if (pending === undefined) return',
    ],
    'a malformed reply': [
      "if (reply === undefined) return this.#refuse('a malformed reply')",
      'if (reply === undefined) return',
    ],
  }),
  ...wallsOf('src/worker/engine-process.ts', ['src/worker/engine-request.test.ts'], {
    'two requests of an engine at once': ["if (pending.isAsking) return this.#refuse('two requests at once')", ''],
  }),
  ...wallsOf('src/worker/code-cache.ts', ['src/worker/code-cache.test.ts'], {
    'compiled code from outside the installation': [' || !own.startsWith(CODE_CACHE_ROOT + sep)', ''],
    'compiled code that others can write': [
      '  if ([folder, ...parts.map(({ name }) => join(folder, name))].some(isWritableByOthers)) return undefined\n',
      '',
    ],
  }),
  ...wallsOf('src/worker/engine-process.ts', ISOLATION, {
    'our variables': ['env: { ...command.environment,', 'env: { ...globalThis.process.env, ...command.environment,'],
  }),
  ...wallsOf('src/worker/engine-reply.ts', REPLY, {
    'a reply of any shape': ['return reply.safeParse(JSON.parse(line)).data', 'return JSON.parse(line)'],
    'text that the database does not take': [".refine((value) => value.isWellFormed() && !value.includes('\\0'))", ''],
    'text of any length': ['.max(MAX_TEXT_CHARACTERS)', ''],
    'facts of any depth': [
      'const data = z.record(name, z.union([scalar, z.record(name, scalar)]))',
      'const data = z.record(z.string(), z.any())',
    ],
    'any number of results': ['z.array(file).max(16)', 'z.array(file)'],
    'a code of its own': [
      "code: z.enum(['unsupported_media', 'encrypted_document', 'processing_failed'])",
      'code: z.any()',
    ],
  }),
  ...wallsOf('src/worker/engine-results.ts', RESULTS, {
    'a result outside the job folder': [
      "if (dirname(file.path) !== folder || file.path.includes('\\0'))",
      'if (false)',
    ],
    'a result that is not there': [
      "if (found === undefined) return 'a result that is not there'",
      'if (found === undefined) continue',
    ],
    'a link in place of a result': ['if (!found.isFile())', 'if (false)'],
    'another file of ours under a second name': ['if (found.nlink !== 1)', 'if (false)'],
    'a result of another size': ['if (found.size !== file.size)', 'if (false)'],
    'one file as two results': ['if (new Set(files.map((file) => file.path)).size !== files.length)', 'if (false)'],
  }),
  ...wallsOf('src/worker/engine-loan.ts', HOST, {
    'a link in place of the job folder': [
      "if (!lstatSync(job.scratch).isDirectory()) throw new Error('no folder')",
      '',
    ],
  }),
  ...wallsOf('src/worker/engine-loan.ts', ['src/worker/engine-loan.test.ts'], {
    'our rights over what a link points at': [
      'for (const name of names) lchownSync(join(folder, name), uid, gid)',
      "for (const name of names) globalThis.process.getBuiltinModule('fs').chownSync(join(folder, name), uid, gid)",
    ],
    'a job folder with files without end': ['if (names.length > MAX_FILES) throw', 'if (false) throw'],
  }),
  ...wallsOf('src/worker/engine-host.ts', HOST, {
    'a result over its limit': [
      'if (files.reduce((sum, file) => sum + file.size, 0) > job.limits.maxResultBytes)',
      'if (false)',
    ],
    'an engine that an error has broken': ['    await engine.kill()\n', ''],
    'an engine that keeps memory or has used its time': [
      'return residentBytes <= most.memoryBytes && cpuMs <= most.cpuMs',
      'return true',
    ],
    'an engine that has used its time': [' && cpuMs <= most.cpuMs', ''],
    'an engine of any age': ['jobsPerProcess: isWarm ? options.jobsPerProcess : 1', 'jobsPerProcess: 1_000_000'],
  }),
  ...wallsOf('src/worker/engine-host.ts', ['src/worker/engine-request.test.ts'], {
    'an engine that asks for what it was not given': [
      'onRequest: runOptions.onRequest ?? refuseRequest',
      'onRequest: runOptions.onRequest ?? (async () => {})',
    ],
  }),
  ...wallsOf('src/worker/memory-gate.ts', ['src/worker/memory-gate.test.ts'], {
    'more jobs than memory': ['if (this.#heldBytes + waiter.bytes > this.#budgetBytes) return', ''],
  }),
  ...wallsOf('src/worker/scratch.ts', HOST, {
    'a link in place of a job folder that is removed': [
      'lstatSync(path).isDirectory() ? readdirSync(path) : []',
      'readdirSync(path)',
    ],
  }),
  ...wallsOf('src/worker/scratch.ts', ['src/worker/scratch.test.ts'], {
    'other users in a job folder': ['mkdirSync(job, { mode: 0o700 })', 'mkdirSync(job, { mode: 0o755 })'],
    'other users in an engine’s folder': ['mkdirSync(engine, { mode: 0o700 })', 'mkdirSync(engine, { mode: 0o755 })'],
    'other users’ view of what lies in scratch': ['await chmod(passable, 0o711)', 'await chmod(passable, 0o755)'],
  }),
  ...wallsOf('src/worker/isolation.ts', ISOLATION, {
    'walls that a canary gets through': ["if (candidate.tier !== 'process' && got.length > 0)", 'if (false)'],
    'walls in which no engine starts': [
      'await Promise.all(entries.map((entry) => startOnce(candidate, scratch, entry)))',
      '',
    ],
    'a service without the sandbox that it requires': [
      "if (setting === 'require-sandbox' && candidate.tier === 'process') continue",
      '',
    ],
  }),
  ...wallsOf('src/worker/isolation-command.ts', ISOLATION, {
    'core dumps': ["    '--core=0',\n", ''],
    'open files': ["    '--nofile=1024',\n", ''],
    'a file of any size': ['    `--fsize=${fileBytes}`,\n', ''],
    'memory that outruns the watch': ['    `--data=${memoryBytes + DATA_ALLOWANCE_BYTES}`,\n', ''],
    'processor time that outruns the watch': ['    `--cpu=${Math.ceil((cpuMs + CPU_ALLOWANCE_MS) / 1000)}`,\n', ''],
    'our own JavaScript in other files': ["'--permission',\n", "'--permission',\n    '--allow-fs-read=*',\n"],
    'our own JavaScript in files it only reads': ['`--allow-fs-write=${folder}`', "'--allow-fs-write=*'"],
  }),
  ...wallsOf('src/worker/isolation-tiers.ts', ISOLATION, {
    'bubblewrap: the network, other processes': ['--unshare-user --unshare-all', '--unshare-user'],
    'bubblewrap: a worker that is gone': ['--disable-userns --die-with-parent', '--disable-userns'],
    'bubblewrap: rights over the machine': [' --cap-drop ALL', ' --cap-add ALL'],
    'bubblewrap: writing code': ["['--ro-bind', path, path]", "['--bind', path, path]"],
    'bubblewrap: writing the root': [
      "...split('--remount-ro /dev --remount-ro / --')",
      "...split('--remount-ro /dev --')",
    ],
    'bubblewrap: writing /dev': ["...split('--remount-ro /dev --remount-ro / --')", "...split('--remount-ro / --')"],
    'namespaces: the network': ['--map-root-user --net --pid', '--map-root-user --pid'],
    'namespaces: a worker that is gone': ["...split('--pdeathsig KILL'),\n      unshare", 'unshare'],
    'namespaces: other processes': ['--net --pid --ipc', '--net --ipc'],
    'namespaces: writing code': ['  mount -o remount,bind,ro,nosuid,nodev "$root$1"\n', ''],
    'namespaces: writing the root': ['mount -o remount,bind,ro "$root"\n', ''],
    'namespaces: rights over the machine': [
      '--no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"',
      '--no-new-privs -- "$@"',
    ],
    'namespaces: new rights': ['"$setpriv" --no-new-privs --bounding-set=-all', '"$setpriv" --bounding-set=-all'],
    'nobody: the service’s own files and processes': [
      '--reuid=${NOBODY.uid} --regid=${NOBODY.gid} --clear-groups',
      '--clear-groups',
    ],
    'nobody: rights over the machine': ['--clear-groups --bounding-set=-all --inh-caps=-all', '--clear-groups'],
    'nobody: new rights, and a worker that is gone': ["...split('--no-new-privs --pdeathsig KILL'),\n", ''],
    'nobody: processes without end': ["[prlimit, '--nproc=4096']", '[]'],
    'plain: new rights, and a worker that is gone': ["[setpriv, '--no-new-privs', '--pdeathsig', 'KILL']", '[]'],
  }),
]
