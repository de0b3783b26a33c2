import type { EngineCommand, EngineSetting } from './command.ts'
import { engineCommand, FILTER_FD, findTool, limitCommand, nodeCommand, readablePaths } from './command.ts'
import { RESTRICT_FILES } from './landlock.ts'
import { allowedLimit } from './own-limits.ts'
import { engineFilter, LANDLOCK_CHECKS } from './seccomp-filter.ts'

type SandboxLevel = 'bubblewrap' | 'namespaces' | 'landlock' | 'process'

export type Candidate = {
  tier: SandboxLevel
  description: string
  user: { uid: number; gid: number } | undefined
  isFiltered: boolean
  /** Returns a command. `isBare` (for tests) omits Node's permission model, which could hide a gap of the sandbox. */
  command(setting: EngineSetting, isBare: boolean): EngineCommand
}

const DEVICES = ['/dev/null', '/dev/full', '/dev/random', '/dev/urandom']

const split = (flags: string) => flags.split(' ')

// The user `nobody` exists on every Linux and owns no files.
const NOBODY = { uid: 65_534, gid: 65_534 }

const AS_NOBODY = split(
  // security check: other user: the service’s own files and processes
  `--reuid=${NOBODY.uid} --regid=${NOBODY.gid} --clear-groups --bounding-set=-all --inh-caps=-all`,
)

/** Returns the sandboxes for which this host has the programs, strongest first. The last is a plain process. */
export function candidates(): Candidate[] {
  const found = [plain()]
  if (process.platform !== 'linux') return found
  const [setpriv, unshare, shell, perl, bwrap] = ['setpriv', 'unshare', 'sh', 'perl', 'bwrap'].map(findTool)
  if (setpriv !== undefined) found.unshift(boundToWorker(setpriv))
  if (setpriv !== undefined && process.getuid?.() === 0) found.unshift(asNobody(setpriv))
  // The seccomp filter is required, because Landlock alone does not prevent sockets.
  const filter = engineFilter(process.arch, LANDLOCK_CHECKS)
  if (setpriv !== undefined && perl !== undefined && filter !== undefined) {
    found.unshift(landlock({ setpriv, perl, filter }))
  }
  if (setpriv !== undefined && unshare !== undefined && shell !== undefined) {
    found.unshift(namespaces({ unshare, setpriv, shell, perl }))
  }
  if (bwrap !== undefined) found.unshift(bubblewrap(bwrap))
  return found
}

type SandboxFeatures = {
  tier: SandboxLevel
  description: string
  user?: { uid: number; gid: number }
  words: (setting: EngineSetting) => string[]
  filter?: Buffer | undefined
}

function candidate({ tier, description, user, words: sandbox, filter }: SandboxFeatures): Candidate {
  return {
    tier,
    description,
    user,
    isFiltered: filter !== undefined,
    command(setting, isBare) {
      const words = [...limitCommand(setting), ...sandbox(setting), ...nodeCommand(setting, isBare)]
      return { ...engineCommand(words, setting), filter }
    },
  }
}

const bubblewrap = (bwrap: string, filter = engineFilter()) =>
  candidate({
    filter,
    tier: 'bubblewrap',
    description: `bubblewrap: no network, no view of other processes, read-only code, one folder${filter === undefined ? '' : ', few system calls'}`,
    words: ({ entry, folder }) => [
      bwrap,
      // security check: bubblewrap: the network, other processes
      ...split('--unshare-user --unshare-all --disable-userns --die-with-parent --cap-drop ALL'),
      ...split(`--uid ${NOBODY.uid} --gid ${NOBODY.gid}`),
      // Omits /dev/zero, because memory of its shared mappings stays allocated after they are unmapped.
      ...DEVICES.flatMap((device) => ['--dev-bind', device, device]),
      // security check: bubblewrap: system calls
      ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
      // security check: bubblewrap: writing code
      ...readablePaths(entry).flatMap((path) => ['--ro-bind', path, path]),
      // Omits /proc and /tmp. Node.js needs neither, and the watch would not see the memory of a tmpfs.
      '--bind',
      folder,
      folder,
      '--chdir',
      folder,
      // security check: bubblewrap: writing the root
      ...split('--remount-ro / --'),
    ],
  })

/**
 * A shell script that builds the same file tree as bubblewrap, but only needs util-linux. `chroot` is safe here: no
 * process inside has a capability or a descriptor from outside. "No new privileges" prevents new capabilities, and the
 * kernel forbids user namespaces in a chroot.
 */
// security check: namespaces: writing code
const BUILD_TREE = `set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
root=$1 folder=$2 setpriv=$3
shift 3
mount -t tmpfs -o size=256k,mode=755 none "$root"
bind() {
  if [ -d "$1" ]; then mkdir -p "$root$1"; else mkdir -p "$root\${1%/*}"; : > "$root$1"; fi
  mount --rbind "$1" "$root$1"
}
while [ "$1" != -- ]; do
  bind "$1"
  mount -o remount,bind,ro,nosuid,nodev "$root$1"
  shift
done
shift
for device in null full random urandom; do bind /dev/$device; done
bind "$folder"
# Of this mount alone: the options of the file system itself name users whom this namespace does not know.
mount -o remount,bind,ro "$root"
cd "$root$folder"
unset PWD OLDPWD
exec chroot "$root" "$setpriv" --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`

/**
 * A Perl program that installs the seccomp filter and then runs the rest of the command line. util-linux may be too old
 * for `setpriv --seccomp-filter`. The engine keeps the process id of this program, which replaces `OWN_PROCESS` in the
 * filter. In prctl(2), 22 is PR_SET_SECCOMP, and 2 is SECCOMP_MODE_FILTER with a `struct sock_fprog`.
 */
const LOAD_FILTER = `open my $pipe, '<&=:raw', ${FILTER_FD} or die "no filter: $!";
my $filter = do { local $/; <$pipe> };
close $pipe;
$filter =~ s/\\xff\\xff\\xff\\x7f/pack 'L', $$/ge;
my $program = pack 'Sx6P', length($filter) / 8, $filter;
syscall(${process.arch === 'x64' ? 157 : 167}, 22, 2, $program) == 0 or die "no filter: $!";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!"`

type NamespaceTools = { unshare: string; setpriv: string; shell: string; perl: string | undefined }

const namespaces = ({ unshare, setpriv, shell, perl }: NamespaceTools) => {
  const filter = perl === undefined ? undefined : engineFilter()
  // security check: namespaces: system calls
  const loader = perl === undefined || filter === undefined ? [] : [perl, '-e', LOAD_FILTER]
  return candidate({
    filter,
    tier: 'namespaces',
    description: `namespaces of util-linux: no network, no view of other processes, read-only code, one folder${filter === undefined ? '' : ', few system calls'}`,
    words: ({ entry, folder, mountPoint }) => [
      setpriv,
      // security check: namespaces: an engine whose worker has exited
      ...split('--pdeathsig KILL'),
      unshare,
      // security check: namespaces: the network
      ...split('--user --map-root-user --net --pid --ipc --uts --mount --fork --kill-child=SIGKILL'),
      shell,
      '-c',
      BUILD_TREE,
      'sh',
      mountPoint,
      folder,
      setpriv,
      ...readablePaths(entry),
      ...loader.slice(0, 1),
      setpriv,
      '--',
      ...loader,
    ],
  })
}

/** Landlock also works in a plain container. The engine sees names, sizes, and owners of files that it cannot open. */
const landlock = ({ setpriv, perl, filter }: { setpriv: string; perl: string; filter: Buffer }) => {
  const isRoot = process.getuid?.() === 0
  return candidate({
    filter,
    tier: 'landlock',
    description: 'Landlock: no network, no access to other processes, read-only code, one folder, few system calls',
    ...(isRoot && { user: NOBODY }),
    words: ({ entry, folder }) => [
      setpriv,
      ...(isRoot ? AS_NOBODY : []),
      // security check: landlock: an engine whose worker has exited
      ...split('--no-new-privs --pdeathsig KILL --'),
      perl,
      '-e',
      RESTRICT_FILES + LOAD_FILTER,
      folder,
      ...readablePaths(entry),
      '--',
    ],
  })
}

/** A process of `nobody`, if root runs the service. It cannot open root's files or inspect root's processes. */
const asNobody = (setpriv: string) =>
  candidate({
    tier: 'process',
    description: 'a process of the user `nobody`: no rights over the service’s own files and processes',
    user: NOBODY,
    words: () => [
      ...processLimit(),
      setpriv,
      ...AS_NOBODY,
      // security check: other user: new rights, and a worker that is gone
      ...split('--no-new-privs --pdeathsig KILL'),
    ],
  })

/** A plain process. When its worker ends, the kernel kills the process, even if it hangs in native code. */
const boundToWorker = (setpriv: string) =>
  candidate({
    tier: 'process',
    description: 'a plain process of the service’s own user',
    // security check: plain: new rights, and an engine whose worker has exited
    words: () => [setpriv, '--no-new-privs', '--pdeathsig', 'KILL'],
  })

/** Limits processes. The limit counts all processes of `nobody`, so it only stops runaway growth. */
function processLimit(): string[] {
  const prlimit = findTool('prlimit')
  // security check: other user: processes without end
  return prlimit === undefined ? [] : [prlimit, `--nproc=${allowedLimit('processes', 4096)}`]
}

const plain = () =>
  candidate({
    tier: 'process',
    description: 'a plain process of the service’s own user, which may outlive a killed worker',
    words: () => [],
  })
