import { ENGINE_SYSTEM_CALLS } from './system-calls.ts'

export type Machine = 'x64' | 'arm64'

// Offsets in `seccomp_data` (linux/seccomp.h): `nr`, `arch`, and six 64-bit arguments with the low half first.
const NUMBER = 0
const MACHINE = 4
const argument = (index: number) => 16 + 8 * index

// Instructions of classic BPF (linux/bpf_common.h).
const LOAD = 0x20
const AND = 0x54
const IF_EQUAL = 0x15
const IF_AT_MIN = 0x35
const IF_ANY_BIT = 0x45
const RETURN = 0x06

const ALLOW = 0x7fff_0000
const KILL_PROCESS = 0x8000_0000
const EPERM = 0x0005_0001
const EEXIST = 0x0005_0011
/** Makes a system call fail as if the kernel lacked it (ENOSYS), so that libraries use an older system call instead. */
const ENOSYS = 0x0005_0026

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const X32_BIT = 0x4000_0000

const CLONE_FILES = 0x400
const CLONE_THREAD = 0x1_0000
/** The flags for new namespaces: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, and NEWNET. */
const CLONE_NAMESPACES = 0x0002_0000 | 0x7e00_0000

const MAP_TYPE = 0x0f
const MAP_PRIVATE = 0x02
const MAP_ANONYMOUS = 0x20
const MAP_HUGETLB = 0x4_0000

/**
 * The allowed ioctl requests: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, and FICLONE. They are for
 * `isatty`, the modes of sockets, and copies of files.
 */
const IOCTLS = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451, 0x4004_9409]
/** Allowed: PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, and PR_SET_VMA. */
const PRCTLS = [3, 15, 16, 21, 23, 0x5356_4d41]

/** Denied: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE. They signal processes, or make processes wait for a file. */
const FCNTLS = [8, 10, 15, 1024]

/**
 * Denied: F_SETLK, F_SETLKW, F_OFD_SETLK, and F_OFD_SETLKW. The kernel's memory for the locks has no limit, and the
 * memory checks of an engine would miss it.
 */
const LOCKS = [6, 7, 37, 38]

const O_ACCMODE = 0x3
const O_TRUNC = 0x200

export const OWN_PROCESS = 0x7fff_ffff

type Instruction = readonly [code: number, value: number, skipIfTrue?: number, skipIfFalse?: number]
type Call = keyof typeof ENGINE_SYSTEM_CALLS

const allowAmong = (values: readonly number[]): Instruction[] => [
  ...values.flatMap((value): Instruction[] => [
    [IF_EQUAL, value, 0, 1],
    [RETURN, ALLOW],
  ]),
  [RETURN, EPERM],
]

const deny = (values: readonly number[]): Instruction[] =>
  values.flatMap((value) => [
    [IF_EQUAL, value, 0, 1],
    [RETURN, EPERM],
  ])

/** The instructions for calls that are allowed only with some arguments. Each list ends with a return instruction. */
type Checks = Partial<Record<Call, readonly Instruction[]>>

const CHECKS: Checks = {
  // Allows only threads that share their table of open files. With another table, a thread could hide files.
  clone: [
    [LOAD, argument(0)],
    [AND, CLONE_THREAD | CLONE_FILES | CLONE_NAMESPACES],
    [IF_EQUAL, CLONE_THREAD | CLONE_FILES, 0, 1],
    [RETURN, ALLOW],
    [RETURN, EPERM],
  ],
  // Forbids huge pages, and memory that is shared without a file: the memory checks of an engine would miss them.
  mmap: [
    [LOAD, argument(3)],
    [IF_ANY_BIT, MAP_HUGETLB, 4, 0],
    [IF_ANY_BIT, MAP_ANONYMOUS, 0, 2],
    [AND, MAP_TYPE],
    [IF_EQUAL, MAP_PRIVATE, 0, 1],
    [RETURN, ALLOW],
    [RETURN, EPERM],
  ],
  // Forbids nested folders, which could hide files from the watch. Node.js tolerates this error for its compile cache.
  mkdir: [[RETURN, EEXIST]],
  mkdirat: [[RETURN, EEXIST]],
  ioctl: [[LOAD, argument(1)], ...allowAmong(IOCTLS)],
  prctl: [[LOAD, argument(0)], ...allowAmong(PRCTLS)],
  // security check: locks of files
  fcntl: [[LOAD, argument(1)], ...deny(LOCKS), [RETURN, ALLOW]],
}

const onlyIf = (index: number, value: number): Instruction[] => [
  [LOAD, argument(index)],
  [IF_EQUAL, value, 1, 0],
  [RETURN, EPERM],
]

const onThisThread: readonly Instruction[] = [...onlyIf(0, 0), [RETURN, ALLOW]]

/** Allows `O_TRUNC` only if the file is opened for writing. Landlock itself requires this since Linux 6.2. */
const truncateIfWritable = (index: number): Instruction[] => [
  [LOAD, argument(index)],
  [AND, O_TRUNC | O_ACCMODE],
  ...deny([O_TRUNC, O_TRUNC | O_ACCMODE]),
  [RETURN, ALLOW],
]

/** Additional checks for engines that share process ids and files with the host. */
export const LANDLOCK_CHECKS: Checks = {
  // security check: landlock: signals to other processes
  kill: [...onlyIf(0, OWN_PROCESS), [RETURN, ALLOW]],
  // security check: landlock: signals to threads of other processes
  tgkill: [...onlyIf(0, OWN_PROCESS), [RETURN, ALLOW]],
  tkill: [[RETURN, EPERM]],
  // security check: landlock: signals about files
  fcntl: [[LOAD, argument(1)], ...deny([...LOCKS, ...FCNTLS]), [RETURN, ALLOW]],
  // security check: landlock: limits of other processes
  prlimit64: onThisThread,
  sched_setaffinity: onThisThread,
  sched_setattr: onThisThread,
  sched_setscheduler: onThisThread,
  setpriority: [...onlyIf(0, 0), ...onlyIf(1, 0), [RETURN, ALLOW]],
  // security check: landlock: the size of other files
  truncate: [[RETURN, EPERM]],
  open: truncateIfWritable(1),
  openat: truncateIfWritable(2),
}

/**
 * Returns the seccomp filter program, or `undefined` for an unsupported machine. Unlisted calls fail with ENOSYS, and
 * forbidden arguments with EPERM.
 */
export function engineFilter(machine: string = process.arch, more: Checks = {}): Buffer | undefined {
  if (machine !== 'x64' && machine !== 'arm64') return undefined
  const column = machine === 'x64' ? 0 : 1
  const checks = { ...CHECKS, ...more }
  const instructions: Instruction[] = [
    [LOAD, MACHINE],
    // security check: bubblewrap: system calls of another machine
    [IF_EQUAL, AUDIT_ARCH[machine], 1, 0],
    [RETURN, KILL_PROCESS],
    [LOAD, NUMBER],
    [IF_AT_MIN, X32_BIT, 0, 1],
    [RETURN, KILL_PROCESS],
  ]
  for (const [name, numbers] of Object.entries(ENGINE_SYSTEM_CALLS)) {
    const number = numbers[column]
    if (number === null) continue
    const body = checks[name as Call] ?? [[RETURN, ALLOW]]
    instructions.push([IF_EQUAL, number, 0, body.length], ...body)
  }
  instructions.push([RETURN, ENOSYS])
  return Buffer.concat(instructions.map(encode))
}

/** Encodes an instruction as a `struct sock_filter` (linux/filter.h). */
function encode([code, value, skipIfTrue = 0, skipIfFalse = 0]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(skipIfTrue, 2)
  bytes.writeUInt8(skipIfFalse, 3)
  bytes.writeUInt32LE(value >>> 0, 4)
  return bytes
}
