import type { SecurityCheck } from './remove-check.ts'
import { at, checksOf, swap } from './remove-check.ts'

const HOST = ['packages/server/src/supervisor/engine-host.test.ts']
const REPLY = ['packages/server/src/supervisor/engine-reply.test.ts']
const RESULTS = ['packages/server/src/supervisor/engine-results.test.ts']
const ISOLATION = ['packages/server/src/supervisor/isolation/isolation.test.ts']
const PROBE = ['packages/server/src/supervisor/isolation/hostile-probe.test.ts']

export const SANDBOX: readonly SecurityCheck[] = [
  ...checksOf(HOST, {
    'an abort': 'gone',
    'a deadline': swap([' bounds.deadlineMs', ' 600_000']),
    'processor time': 'never',
    'processor time of one job': swap([' cpuMs', ' 0']),
    memory: 'never',
    'processes and threads': 'never',
    threads: at('processes and threads', swap(['threads > MAX_THREADS', 'false'])),
    'files and bytes on disk': 'always',
    'files on disk': at('files and bytes on disk', swap(['_ <= _ && bytes', 'bytes'])),
    'bytes on disk': at('files and bytes on disk', swap([' && _ <= _', ''])),
    'processes that an engine left in its group': swap(['-pid', 'pid']),
    'processes that an engine started in another session': at(
      'processes that an engine left in its group',
      swap(['pid, ...pids', 'pid']),
    ),
    'an endless line': 'never',
    'output without end': 'never',
    'a reply to no job': swap(["return this.#reject('the engine sent a reply, but had no job')", 'return']),
    'a malformed reply': swap(["return this.#reject('the engine sent a malformed reply')", 'return']),
  }),
  ...checksOf(['packages/server/src/supervisor/engine-request.test.ts'], {
    'two calls of an engine at once': 'gone',
  }),
  ...checksOf(['packages/server/src/supervisor/engine-affinity.test.ts'], {
    'an engine that has run another request': swap(['_ === _', 'true']),
  }),
  ...checksOf(ISOLATION, {
    'environment variables of the service': swap(['environment', 'globalThis.process.env, ...environment']),
    'descriptors that the shell left open': swap(['inheritableDescriptors()', '[]']),
  }),
  ...checksOf(REPLY, {
    'a reply of any shape': swap(['_(JSON.parse(line)).data', 'JSON.parse(line)']),
    'text that the database cannot store': swap([
      ".refine((value) => value.isWellFormed() && !value.includes('\\0'))",
      '',
    ]),
    'text of any length': at('text that the database cannot store', swap(['.max(_)', ''])),
    'metadata of any depth': swap(['name, z.union([scalar, nested, z.array(nested).max(100)])', 'z.string(), z.any()']),
    'any number of results': swap(['.max(MAX_OUTPUTS)', '']),
    'an unknown error code': swap(["enum(['unsupported_media', 'encrypted_document', 'processing_failed']", 'any(']),
  }),
  ...checksOf(RESULTS, {
    'a result outside the job folder': 'never',
    'a missing result': swap(["return 'a result file that does not exist'", 'continue']),
    'a link in place of a result': 'never',
    'a hard link to another file of the service': 'never',
    'a result of another size': 'never',
    'one file as two results': 'never',
  }),
  ...checksOf(HOST, {
    'a link in place of the job folder': 'gone',
  }),
  ...checksOf(['packages/server/src/supervisor/job-workspace.test.ts'], {
    'our rights over the target of a link': swap(['lchownSync', "globalThis.process.getBuiltinModule('fs').chownSync"]),
    'a job folder with endless files': 'never',
  }),
  ...checksOf(HOST, {
    'a result over its limit': 'never',
    'an engine after an internal error': 'gone',
    'usage between jobs': 'never',
    'an engine that keeps files of earlier jobs': 'never',
    'an engine past its memory or time': swap(['residentBytes <= max.memoryBytes && cpuMs <= max.cpuMs', 'true']),
    'an engine past its time': at('an engine past its memory or time', swap([' && _ <= _', ''])),
    'an engine of any age': swap(['options.jobsPerProcess', '1_000_000']),
  }),
  ...checksOf(['packages/server/src/supervisor/engine-request.test.ts'], {
    'a call that no handler expects': swap(['rejectCall', '(async () => {})']),
  }),
  ...checksOf(['packages/server/src/supervisor/isolation/verdict.test.ts'], {
    'a stored verdict in a folder that others can write': 'never',
    'a stored verdict of another user': 'never',
    'a verdict about another host, boot or version': 'always',
  }),
  ...checksOf(['packages/server/src/supervisor/memory-gate.test.ts'], {
    'more jobs than memory': 'gone',
  }),
  ...checksOf(PROBE, {
    'landlock: signals to other processes': swap(['...onlyIf(0, OWN_PROCESS), ', '']),
    'landlock: signals to threads of other processes': swap(['...onlyIf(0, OWN_PROCESS), ', '']),
    'landlock: signals about files': swap([', ...FCNTLS', '']),
    'landlock: limits of other processes': swap(['onThisThread', '[[RETURN, ALLOW]]']),
    'landlock: the size of other files': swap(['EPERM', 'ALLOW']),
    'landlock: files': swap(['landlock(2, $ruleset, 0);', '']),
    'landlock: writing code': at('landlock: files', swap(['allow(0xd, $path)', 'allow(-1, $path)'])),
    'memory that is not resident': swap(['|VmSwap|VmPTE', '']),
    'memory in deleted or anonymous files': 'never',
    'deleted files that are mapped and not open': 'never',
    'deleted files on disk': swap([' + unnamed.diskBytes', '']),
    'a folder that cannot be read': 'gone',
  }),
  ...checksOf(['packages/server/src/supervisor/isolation/seccomp-filter.test.ts'], {
    'bubblewrap: system calls of another machine': swap(['1, 0', '1, 1']),
    'locks of files': swap(['...deny(LOCKS), ', '']),
  }),
  ...checksOf(['packages/server/src/supervisor/scratch.test.ts'], {
    'other users in a job folder': swap(['0o700', '0o755']),
    'other users in an engine’s folder': swap(['0o700', '0o755']),
    'other users’ view of the scratch folder': swap(['0o711', '0o755']),
  }),
  ...checksOf(ISOLATION, {
    'a sandbox that the probe escapes': 'never',
    'a probe that signals the worker': 'never',
    'a sandbox in which no engine starts': 'gone',
    'a service without the sandbox that it requires': 'gone',
    'core dumps': 'gone',
    'open files': 'gone',
    'a file of any size': 'gone',
    'memory that grows faster than the watch': 'gone',
    'processor time that increases faster than the watch': 'gone',
    'reading other files from JavaScript': swap(["'--allow-addons'", "'--allow-addons', '--allow-fs-read=*'"]),
    'writing read-only files from JavaScript': swap(['`--allow-fs-write=${folder}`', "'--allow-fs-write=*'"]),
    'bubblewrap: the network, other processes': swap(['user --unshare-all', 'user']),
    'bubblewrap: an engine whose worker has exited': at(
      'bubblewrap: the network, other processes',
      swap(['userns --die-with-parent', 'userns']),
    ),
    'bubblewrap: rights over the machine': at('bubblewrap: the network, other processes', swap(['drop', 'add'])),
    'bubblewrap: writing code': swap(['ro-bind', 'bind']),
    'bubblewrap: writing the root': swap(['remount-ro / --', '']),
    'bubblewrap: system calls': swap(["['--seccomp', String(FILTER_FD)]", '[]']),
    'namespaces: system calls': swap(["[perl, '-e', LOAD_FILTER]", '[]']),
    'a sandbox without its seccomp filter': 'never',
    'landlock: an engine whose worker has exited': swap([' --pdeathsig KILL', '']),
    'namespaces: the network': swap(['net --pid', 'pid']),
    'namespaces: an engine whose worker has exited': 'gone',
    'namespaces: other processes': at('namespaces: the network', swap(['pid --ipc', 'ipc'])),
    'namespaces: writing code': swap(['  mount -o remount,bind,ro,nosuid,nodev "$root$1"\n', '']),
    'namespaces: writing the root': at('namespaces: writing code', swap(['mount -o remount,bind,ro "$root"\n', ''])),
    'namespaces: rights over the machine': at(
      'namespaces: writing code',
      swap(['bounding-set=-all --inh-caps=-all --', '']),
    ),
    'namespaces: new rights': at('namespaces: writing code', swap(['no-new-privs --bounding', 'bounding'])),
    'other user: the service’s own files and processes': swap([
      'reuid=${NOBODY.uid} --regid=${NOBODY.gid} --clear',
      'clear',
    ]),
    'other user: rights over the machine': at(
      'other user: the service’s own files and processes',
      swap(['groups --bounding-set=-all --inh-caps=-all', 'groups']),
    ),
    'other user: new rights, and a worker that is gone': 'gone',
    'other user: processes without end': swap(["prlimit, `--nproc=${_('processes', 4096)}`", '']),
    'plain: new rights, and an engine whose worker has exited': swap([
      "setpriv, '--no-new-privs', '--pdeathsig', 'KILL'",
      '',
    ]),
  }),
  ...checksOf(['packages/engines/src/image/stamp/fonts.test.ts'], {
    'fonts of the machine': swap(["FONTCONFIG_FILE: join(folder, 'fonts.conf'),", '']),
  }),
]
