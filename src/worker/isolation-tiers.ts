import {
  type EngineCommand,
  type EngineSetting,
  engineCommand,
  findTool,
  limitCommand,
  nodeCommand,
  readablePaths,
} from './isolation-command.ts'

/** Walls that can stand around an engine, from the strongest to the plainest. */
export type Tier = 'bubblewrap' | 'namespaces' | 'process'

/** One way to start engines; whether the host allows it is for the canary to find out. */
export type Candidate = {
  tier: Tier
  /** What the walls are made of, for the log. */
  description: string
  /** Whom the engine's files must belong to, where it does not run as the service's own user. */
  user: { uid: number; gid: number } | undefined
  /** `isBare` leaves out Node's permission model, which would hide from a canary what the walls let through. */
  command(setting: EngineSetting, isBare: boolean): EngineCommand
}

// `nobody` of every Linux, who owns nothing.
const NOBODY = { uid: 65_534, gid: 65_534 }

/** The ways to start engines that the tools on this host suggest, the strongest first; the last is always a plain process. */
export function candidates(): Candidate[] {
  const ends = {
    setpriv: findTool('setpriv'),
    unshare: findTool('unshare'),
    shell: findTool('sh'),
    bwrap: findTool('bwrap'),
  }
  const found: Candidate[] = []
  if (process.platform === 'linux') {
    if (ends.bwrap !== undefined) found.push(bubblewrap(ends.bwrap))
    if (ends.unshare !== undefined && ends.setpriv !== undefined && ends.shell !== undefined) {
      found.push(namespaces(ends.unshare, ends.setpriv, ends.shell))
    }
    if (ends.setpriv !== undefined && process.getuid?.() === 0) found.push(asNobody(ends.setpriv))
    if (ends.setpriv !== undefined) found.push(boundToWorker(ends.setpriv))
  }
  found.push(plain())
  return found
}

/** bubblewrap(1): no network, no other processes, a file tree with nothing in it but code and the engine's folder. */
function bubblewrap(bwrap: string): Candidate {
  const walls = ({ entry, folder }: EngineSetting) => [
    bwrap,
    ...words('--unshare-user --unshare-all --disable-userns --die-with-parent --new-session --cap-drop ALL'),
    ...words(`--uid ${NOBODY.uid} --gid ${NOBODY.gid} --dev /dev`),
    ...readablePaths(entry).flatMap((path) => ['--ro-bind', path, path]),
    // No /proc and no /tmp: Node needs neither, and memory written to a tmpfs would escape the watch.
    '--bind',
    folder,
    folder,
    '--chdir',
    folder,
    ...words('--remount-ro /dev --remount-ro / --'),
  ]
  return {
    tier: 'bubblewrap',
    description: 'bubblewrap: no network, no view of other processes, read-only code, one folder',
    user: undefined,
    command: (setting, isBare) =>
      engineCommand([...limitCommand(setting), ...walls(setting), ...nodeCommand(setting, isBare)], setting),
  }
}

/**
 * The same tree as bubblewrap's, built with util-linux alone.
 *
 * `chroot` holds because nothing in it has a capability, can get one (no new privileges, and the kernel refuses user
 * namespaces inside a chroot) or holds a descriptor from outside.
 */
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
for device in null zero full random urandom; do bind /dev/$device; done
bind "$folder"
# Of this mount alone: the options of the file system itself name users whom this namespace does not know.
mount -o remount,bind,ro "$root"
cd "$root$folder"
unset PWD OLDPWD
exec chroot "$root" "$setpriv" --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`

function namespaces(unshare: string, setpriv: string, shell: string): Candidate {
  const walls = ({ entry, folder, mountPoint }: EngineSetting) => [
    setpriv,
    ...words('--pdeathsig KILL'),
    unshare,
    ...words('--user --map-root-user --net --pid --ipc --uts --mount --fork --kill-child=SIGKILL'),
    shell,
    '-c',
    BUILD_TREE,
    'sh',
    mountPoint,
    folder,
    setpriv,
    ...readablePaths(entry),
    setpriv,
    '--',
  ]
  return {
    tier: 'namespaces',
    description: 'namespaces of util-linux: no network, no view of other processes, read-only code, one folder',
    user: undefined,
    command: (setting, isBare) =>
      engineCommand([...limitCommand(setting), ...walls(setting), ...nodeCommand(setting, isBare)], setting),
  }
}

/** For a service that runs as root: the engine cannot open what belongs to root, nor look into root's processes. */
function asNobody(setpriv: string): Candidate {
  const rights = [
    setpriv,
    ...words(`--reuid=${NOBODY.uid} --regid=${NOBODY.gid} --clear-groups --bounding-set=-all --inh-caps=-all`),
    ...words('--no-new-privs --pdeathsig KILL'),
  ]
  return {
    tier: 'process',
    description: 'a process as nobody: no rights over the service’s own files and processes',
    user: NOBODY,
    command: (setting, isBare) =>
      engineCommand([...limitCommand(setting), ...rights, ...nodeCommand(setting, isBare)], setting),
  }
}

/** The kernel ends the engine with its worker, also when it hangs in native code and sees no channel close. */
function boundToWorker(setpriv: string): Candidate {
  const rights = [setpriv, '--no-new-privs', '--pdeathsig', 'KILL']
  return {
    tier: 'process',
    description: 'a plain process of the service’s own user',
    user: undefined,
    command: (setting, isBare) =>
      engineCommand([...limitCommand(setting), ...rights, ...nodeCommand(setting, isBare)], setting),
  }
}

function plain(): Candidate {
  return {
    tier: 'process',
    description: 'a plain process of the service’s own user',
    user: undefined,
    command: (setting, isBare) => engineCommand([...limitCommand(setting), ...nodeCommand(setting, isBare)], setting),
  }
}

const words = (flags: string) => flags.split(' ')
