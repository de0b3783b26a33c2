#!/bin/sh
# Copies the Debian files that the image needs to /system (docs/notes/installation.md): the C library, a shell with its tools, the sandbox,
# and an init. Runs as root in Debian with these packages installed.
set -eu
target=/system
mkdir -p "$target"

# These packages are copied completely, except manuals and the C library's tables for 200 encodings.
packages='base-files bubblewrap coreutils dash libacl1 libattr1 libblkid1 libc-bin libc6 libcap2 libcap-ng0 libcrypt1 libgcc-s1 libgmp10
  libmount1 libpcre2-8-0 libselinux1 libsmartcols1 libstdc++6 tini'
# From util-linux, mount, and perl-base, copy only the programs that packages/server/src/supervisor/isolation calls.
programs='mount perl prlimit setpriv unshare'

for package in $packages; do
  dpkg -L "$package" | grep -vE '/gconv/|/usr/share/(man|info|locale|lintian|bug)/|/(ldconfig|localedef|tini-static)$' | while read -r path; do
    if [ -L "$path" ] || [ -f "$path" ]; then echo "$path"; fi
  done
done > /tmp/files
for program in $programs; do command -v "$program"; done | xargs readlink -f >> /tmp/files
for package in util-linux mount perl-base ca-certificates; do echo "/usr/share/doc/$package/copyright"; done >> /tmp/files
echo /etc/ssl/certs/ca-certificates.crt >> /tmp/files
for folder in /bin /sbin /lib /lib64; do if [ -L "$folder" ]; then echo "$folder"; fi; done >> /tmp/files

# If /bin, /sbin, or /lib is a link to /usr, write the paths of its files with /usr.
sed -E "$(for name in bin sbin lib lib64; do [ ! -L "/$name" ] || printf 's,^/%s/,/usr/%s/,;' "$name" "$name"; done)" /tmp/files \
  | sort -u | sed 's,^/,,' | tar -C / -cf - --no-recursion -T - | tar -C "$target" -xf -

# If an image has no dpkg, scanners read its list of packages from this folder.
mkdir -p "$target/var/lib/dpkg/status.d"
for package in $packages util-linux mount perl-base ca-certificates; do
  dpkg-query --status "$package" > "$target/var/lib/dpkg/status.d/$package"
done

mkdir -p "$target/dev" "$target/proc" "$target/sys" "$target/run" "$target/root" "$target/etc"
install -d -m 1777 "$target/tmp" "$target/var/tmp"
cp /etc/passwd /etc/group "$target/etc/"
echo 'hosts: files dns' > "$target/etc/nsswitch.conf"
ldconfig -r "$target"

# Checks that every program finds its libraries, and prints the missing libraries.
loader=$(find "$target/usr/lib" "$target/usr/lib64" -name 'ld-linux-*.so.*' | head -n 1)
for program in "$target"/usr/bin/* "$target"/usr/sbin/*; do
  if ! [ -L "$program" ] && head -c 4 "$program" | grep -q ELF; then
    chroot "$target" "${loader#"$target"}" --list "${program#"$target"}" > /tmp/libraries 2>&1 || true
    if grep -E 'not found|cannot open' /tmp/libraries; then
      echo "${program#"$target"} lacks these libraries." >&2
      exit 1
    fi
  fi
done
