/**
 * Perl code that restricts its own process with Landlock. The paths in `ARGV` up to `--` are readable. The first path,
 * a folder, is also writable. It is Perl, because util-linux may be too old for `setpriv --landlock-access`, which also
 * cannot restrict TCP and signals. The code uses no modules, because the container image has none. The system calls 444
 * to 446 and the rights are from linux/landlock.h. `LANDLOCK_CHECKS` of the seccomp filter replaces rights that an
 * older kernel lacks.
 */
// security check: landlock: files
export const RESTRICT_FILES = `
sub landlock {
  my $result = syscall 444 + shift, @_;
  die "Landlock: $!\\n" if $result == -1;
  return $result;
}
my $version = landlock(0, 0, 0, 1);
my $all = (1 << (0, 13, 14, 15, 15, 16)[$version > 5 ? 5 : $version]) - 1;
my $handled = pack 'Q3', $all, $version > 3 ? 3 : 0, $version > 5 ? 3 : 0;
my $ruleset = landlock(0, $handled, length $handled, 0);
sub allow {
  my ($rights, $path) = @_;
  sysopen my $place, $path, 0 or die "$path: $!\\n";
  # For a file: execute, write, read, truncate, ioctl.
  $rights &= 0xc007 unless -d $place;
  my $rule = pack 'Ql', $rights & $all, fileno $place;
  landlock(1, $ruleset, 1, $rule, 0);
}
# Everything but devices, sockets, pipes, and links.
allow(~0x1e40, shift);
allow(0x6, $_) for qw(/dev/null /dev/full /dev/random /dev/urandom);
# Execute, read, and list.
while ((my $path = shift) ne '--') { allow(0xd, $path) }
landlock(2, $ruleset, 0);
`
