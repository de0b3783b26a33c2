import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Machine } from './seccomp-filter.ts'
import { engineFilter, LANDLOCK_CHECKS, OWN_PROCESS } from './seccomp-filter.ts'
import { ENGINE_SYSTEM_CALLS } from './system-calls.ts'

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 }
const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const EPERM = 0x0005_0001
const EEXIST = 0x0005_0011
const ENOSYS = 0x0005_0026

/** Runs the filter program on one system call, as the kernel does. Uses the low halves of the arguments. */
function decide(
  machine: Machine,
  number: number,
  words: readonly number[] = [],
  arch = AUDIT_ARCH[machine],
  program = engineFilter(machine) ?? Buffer.alloc(0),
): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(arch, 4)
  for (const [index, word] of words.entries()) data.writeUInt32LE(word, 16 + 8 * index)
  let loaded = 0
  for (let at = 0; ; at += 1) {
    const code = program.readUInt16LE(8 * at)
    const value = program.readUInt32LE(8 * at + 4)
    const jump = (isTrue: boolean) => void (at += program.readUInt8(8 * at + (isTrue ? 2 : 3)))
    if (code === 0x06) return value
    if (code === 0x20) loaded = data.readUInt32LE(value)
    else if (code === 0x54) loaded = (loaded & value) >>> 0
    else if (code === 0x15) jump(loaded === value)
    else if (code === 0x35) jump(loaded >= value)
    else if (code === 0x45) jump((loaded & value) !== 0)
    else assert.fail(`instruction ${code}`)
  }
}

const PTHREAD = 0x3d_0f00
const MACHINES = ['x64', 'arm64'] as const
const numberOf = (machine: Machine, name: keyof typeof ENGINE_SYSTEM_CALLS) =>
  ENGINE_SYSTEM_CALLS[name][machine === 'x64' ? 0 : 1] ?? assert.fail(name)

for (const machine of MACHINES) {
  const check = (name: keyof typeof ENGINE_SYSTEM_CALLS, ...words: number[]) =>
    decide(machine, numberOf(machine, name), words)

  test(`on ${machine} the seccomp filter allows the system calls that an engine needs`, () => {
    for (const name of ['read', 'openat', 'futex', 'exit_group', 'execve'] as const)
      assert.equal(check(name), ALLOW, name)
    assert.equal(check('clone', PTHREAD), ALLOW)
    for (const flags of [0x02, 0x22, 0x4022, 0x01]) assert.equal(check('mmap', 0, 4096, 3, flags), ALLOW)
    assert.equal(check('ioctl', 0, 0x5401), ALLOW)
    assert.equal(check('prctl', 15), ALLOW)
  })

  test(`on ${machine} the seccomp filter rejects new processes, namespaces, shared memory, locks of files, and unlisted ioctl and prctl requests`, () => {
    for (const flags of [17, PTHREAD | 0x1000_0000, PTHREAD & ~0x400, 0x4111])
      assert.equal(check('clone', flags), EPERM)
    for (const flags of [0x21, 0x23, 0x4_0022, 0x4_0001]) assert.equal(check('mmap', 0, 4096, 3, flags), EPERM)
    assert.equal(check('ioctl', 0, 0x5412), EPERM)
    assert.equal(check('prctl', 4), EPERM)
    for (const command of [6, 7, 37, 38]) assert.equal(check('fcntl', 3, command), EPERM)
    assert.equal(check('fcntl', 3, 4), ALLOW)
  })

  test(`on ${machine} with Landlock the seccomp filter rejects signals to other processes and changes of their limits`, () => {
    const program = engineFilter(machine, LANDLOCK_CHECKS)
    const shared = (name: keyof typeof ENGINE_SYSTEM_CALLS, ...words: number[]) =>
      decide(machine, numberOf(machine, name), words, AUDIT_ARCH[machine], program)
    for (const name of ['kill', 'tgkill'] as const) {
      assert.deepEqual(
        [shared(name, OWN_PROCESS, 9), shared(name, 1, 9), shared(name, -1 >>> 0, 9)],
        [ALLOW, EPERM, EPERM],
      )
    }
    for (const name of ['prlimit64', 'sched_setaffinity', 'sched_setattr', 'sched_setscheduler'] as const)
      assert.deepEqual([shared(name, 0), shared(name, 1)], [ALLOW, EPERM], name)
    assert.deepEqual(
      [shared('setpriority'), shared('setpriority', 0, 1), shared('setpriority', 2)],
      [ALLOW, EPERM, EPERM],
    )
    for (const command of [8, 10, 15, 1024]) assert.equal(shared('fcntl', 3, command), EPERM)
    assert.deepEqual([shared('tkill', 1), shared('truncate'), shared('fcntl', 3, 4)], [EPERM, EPERM, ALLOW])
    for (const flags of [0x200, 0x203]) assert.equal(shared('openat', 0, 0, flags), EPERM)
    for (const flags of [0, 0x1, 0x241, 0x242]) assert.equal(shared('openat', 0, 0, flags), ALLOW)
    assert.equal(shared('mkdirat'), EEXIST)
  })

  test(`on ${machine} the seccomp filter returns ENOSYS for every system call that is not listed`, () => {
    const listed = new Set<number | null>(
      Object.values(ENGINE_SYSTEM_CALLS).map((numbers) => numbers[machine === 'x64' ? 0 : 1]),
    )
    for (let number = 0; number < 1000; number += 1)
      assert.equal(decide(machine, number) === ENOSYS, !listed.has(number), String(number))
  })

  test(`on ${machine} the seccomp filter ends a process that uses system calls of another architecture or of x32`, () => {
    assert.equal(decide(machine, numberOf(machine, 'read'), [], 0x4000_0003), KILL)
    assert.equal(decide(machine, numberOf(machine, 'read') | 0x4000_0000), KILL)
  })
}

test('an unknown processor architecture has no seccomp filter', () => {
  assert.equal(engineFilter('riscv64'), undefined)
})

const HEADERS = [
  ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', 0],
  ['/usr/include/asm-generic/unistd.h', 1],
] as const

for (const [path, column] of HEADERS) {
  test(`the system call numbers of the seccomp filter match ${path}`, (t) => {
    if (!existsSync(path)) return t.skip('the header is not installed')
    const lines = readFileSync(path, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)
    const known = new Map(Array.from(lines, ([, name = '', number]) => [name, Number(number)]))
    for (const [name, numbers] of Object.entries(ENGINE_SYSTEM_CALLS)) {
      const found = known.get(column === 1 && name === 'newfstatat' ? 'fstatat' : name)
      if (numbers[column] !== null) assert.equal(numbers[column], found, name)
    }
  })
}
