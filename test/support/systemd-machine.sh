#!/bin/sh
# A machine of its own for systemd, as far as namespaces go (`unshare --pid --mount --uts --ipc`): it is the first process there,
# the folders it and the units write to are laid over the machine's and gone afterwards, and of the machine's own units none is
# begun: no sysctl, no cleaning of folders, no devices. Processes, files and units are real; the network is the machine's.
#   systemd-machine.sh FOLDER PROJECT ENVIRONMENT DROP-INS
set -e
stage=$1 project=$2 environment=$3 dropins=$4
mount --make-rprivate /
mount -t proc proc /proc
mount -o bind,ro /proc/sys /proc/sys
mount -t tmpfs tmpfs "$stage"
mkdir "$stage/kept"
cp "$environment" "$stage/kept/environment"
for place in etc var opt; do
  mkdir "$stage/$place" "$stage/.$place"
  mount -t overlay overlay -o "lowerdir=/$place,upperdir=$stage/$place,workdir=$stage/.$place" "/$place"
done
# As config/operating.md says it is done.
groupadd --system oppslag
useradd --system --gid oppslag --home-dir /var/lib/oppslag --no-create-home oppslag
mkdir -p /opt/bedriftsoppslag
mount --bind "$project" /opt/bedriftsoppslag
install -D -m 0600 "$stage/kept/environment" /etc/oppslag/environment
rm -rf /etc/systemd/system/*
cp -r /opt/bedriftsoppslag/config/systemd/* /etc/systemd/system/
cp -r "$dropins"/. /etc/systemd/system/
for target in sysinit basic; do
  printf '[Unit]\nDescription=Nothing of the machine\n' >"/etc/systemd/system/$target.target"
done
mount -t tmpfs tmpfs /run
mkdir /run/lock /run/systemd
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/unified /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
container=other exec /lib/systemd/systemd --system --unit=oppslag.target --log-target=journal --show-status=no
