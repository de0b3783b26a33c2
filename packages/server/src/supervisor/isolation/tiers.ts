import type { EngineCommand, EngineSetting } from './command.ts'
import { engineCommand, FILTER_FD, findTool, limitCommand, nodeCommand, readablePaths } from './command.ts'
import { allowedLimit } from './own-limits.ts'
import { engineFilter } from './seccomp-filter.ts'

/** Walls that can stand around an engine, from the strongest to the plainest. */
export type Tier = 'bubblewrap' | 'namespaces' | 'process'

/** One way to start engines. Whether the host allows it is for the canary to find out. */
export type Candidate = {
  tier: Tier
  /** What the walls are made of, for the log. */
  description: string
  /** Whom the engine's files must belong to, where it does not run as the service's own user. */
  user: { uid: number; gid: number } | undefined
  /** Whether a seccomp filter is among the walls. */
  isFiltered: boolean
  /** `isBare` leaves out Node's permission model, which would hide from a canary what the walls let through. */
  command(setting: EngineSetting, isBare: boolean): EngineCommand
}

const DEVICES = ['/dev/null', '/dev/full', '/dev/random', '/dev/urandom']

// `nobody` of every Linux, who owns nothing.
const NOBODY = { uid: 65_534, gid: 65_534 }

/**
 * The ways to start engines that the tools on this host suggest, the strongest first. The last is always a plain
 * process. Those with a file tree of their own, where our files belong to the engine's user and cannot be written, run
 * what is compiled of our code from `codeCache`.
 */
export function candidates(codeCache?: string): Candidate[] {
  const found = [plain()]
  if (process.platform !== 'linux') return found
  const [setpriv, unshare, shell, perl, bwrap] = ['setpriv', 'unshare', 'sh', 'perl', 'bwrap'].map(findTool)
  if (setpriv !== undefined) found.unshift(boundToWorker(setpriv))
  if (setpriv !== undefined && process.getuid?.() === 0) found.unshift(asNobody(setpriv))
  if (setpriv !== undefined && unshare !== undefined && shell !== undefined) {
    found.unshift(namespaces({ unshare, setpriv, shell, perl }, codeCache))
  }
  if (bwrap !== undefined) found.unshift(bubblewrap(bwrap, codeCache))
  return found
}

type Walls = {
  tier: Tier
  description: string
  user?: { uid: number; gid: number }
  /** The part of the command line between the resource limits and Node. */
  words: (setting: EngineSetting) => string[]
  codeCache?: string | undefined
  filter?: Buffer | undefined
}

function candidate({ tier, description, user, words: walls, codeCache, filter }: Walls): Candidate {
  return {
    tier,
    description,
    user,
    isFiltered: filter !== undefined,
    command(setting, isBare) {
      const own = { ...setting, codeCache }
      return { ...engineCommand([...limitCommand(own), ...walls(own), ...nodeCommand(own, isBare)], own), filter }
    },
  }
}

/** bubblewrap(1): no network, no other processes, a file tree with nothing in it but code and the engine's folder. */
const bubblewrap = (bwrap: string, codeCache: string | undefined, filter = engineFilter()) =>
  candidate({
    codeCache,
    filter,
    tier: 'bubblewrap',
    description: `bubblewrap: no network, no view of other processes, read-only code, one folder${filter === undefined ? '' : ', few system calls'}`,
    words: ({ entry, folder }) => [
      bwrap,
      // wall: bubblewrap: the network, other processes
      ...split('--unshare-user --unshare-all --disable-userns --die-with-parent --cap-drop ALL'),
      ...split(`--uid ${NOBODY.uid} --gid ${NOBODY.gid}`),
      // No /dev/zero: shared mappings of it are memory that stays when it is not mapped any more.
      ...DEVICES.flatMap((device) => ['--dev-bind', device, device]),
      // wall: bubblewrap: system calls
      ...(filter === undefined ? [] : ['--seccomp', String(FILTER_FD)]),
      // wall: bubblewrap: writing code
      ...readablePaths(entry).flatMap((path) => ['--ro-bind', path, path]),
      // No /proc and no /tmp: Node needs neither, and memory written to a tmpfs would escape the watch.
      '--bind',
      folder,
      folder,
      '--chdir',
      folder,
      // wall: bubblewrap: writing the root
      ...split('--remount-ro / --'),
    ],
  })

/**
 * The same tree as bubblewrap's, built with util-linux alone.
 *
 * `chroot` holds because nothing in it has a capability, can get one (no new privileges, and the kernel refuses user
 * namespaces inside a chroot) or holds a descriptor from outside.
 */
// wall: namespaces: writing code
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
 * Loads the filter, and starts the rest of the command line under it. The installed util-linux may be too old for
 * `setpriv --seccomp-filter`, and Perl is part of every Debian and Ubuntu.
 *
 * prctl(2): 22 is PR_SET_SECCOMP and 2 is SECCOMP_MODE_FILTER, with a `struct sock_fprog`.
 */
const LOAD_FILTER = `open my $pipe, '<&=:raw', ${FILTER_FD} or die "no filter: $!";
my $filter = do { local $/; <$pipe> };
close $pipe;
my $program = pack 'Sx6P', length($filter) / 8, $filter;
syscall(${process.arch === 'x64' ? 157 : 167}, 22, 2, $program) == 0 or die "no filter: $!";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!"`

type NamespaceTools = { unshare: string; setpriv: string; shell: string; perl: string | undefined }

const namespaces = ({ unshare, setpriv, shell, perl }: NamespaceTools, codeCache: string | undefined) => {
  const filter = perl === undefined ? undefined : engineFilter()
  // wall: namespaces: system calls
  const loader = perl === undefined || filter === undefined ? [] : [perl, '-e', LOAD_FILTER]
  return candidate({
    codeCache,
    filter,
    tier: 'namespaces',
    description: `namespaces of util-linux: no network, no view of other processes, read-only code, one folder${filter === undefined ? '' : ', few system calls'}`,
    words: ({ entry, folder, mountPoint }) => [
      setpriv,
      // wall: namespaces: a worker that is gone
      ...split('--pdeathsig KILL'),
      unshare,
      // wall: namespaces: the network
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

/** For a service that runs as root: the engine cannot open what belongs to root, nor look into root's processes. */
const asNobody = (setpriv: string) =>
  candidate({
    tier: 'process',
    description: 'a process as nobody: no rights over the service’s own files and processes',
    user: NOBODY,
    words: () => [
      ...processLimit(),
      setpriv,
      // wall: nobody: the service’s own files and processes
      ...split(`--reuid=${NOBODY.uid} --regid=${NOBODY.gid} --clear-groups --bounding-set=-all --inh-caps=-all`),
      // wall: nobody: new rights, and a worker that is gone
      ...split('--no-new-privs --pdeathsig KILL'),
    ],
  })

/** The kernel ends the engine with its worker, also when it hangs in native code and sees no channel close. */
const boundToWorker = (setpriv: string) =>
  candidate({
    tier: 'process',
    description: 'a plain process of the service’s own user',
    // wall: plain: new rights, and a worker that is gone
    words: () => [setpriv, '--no-new-privs', '--pdeathsig', 'KILL'],
  })

/** Counts all that `nobody` runs on this machine, threads too, so it only ends what has run wild. */
function processLimit(): string[] {
  const prlimit = findTool('prlimit')
  // wall: nobody: processes without end
  return prlimit === undefined ? [] : [prlimit, `--nproc=${allowedLimit('processes', 4096)}`]
}

const plain = () =>
  candidate({
    tier: 'process',
    description: 'a plain process of the service’s own user, which may outlive a killed worker',
    words: () => [],
  })

const split = (flags: string) => flags.split(' ')
