#!/bin/sh
# Makes the secrets of compose.yaml, each a file that its reader alone may read: 1000 is the service, 999 PostgreSQL and Redis in
# their images. What is there already stays, so that it can be run again. Run as root: config/make-secrets.sh FOLDER
set -eu
folder=${1:?the folder the secrets are to be in}
umask 077
mkdir -p "$folder"

random() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }

secret() { # owner, name, text
  [ -e "$folder/$2" ] && return
  printf '%s' "$3" >"$folder/$2.new"
  chmod 0400 "$folder/$2.new"
  chown "$1" "$folder/$2.new"
  mv "$folder/$2.new" "$folder/$2"
}

secret 999 database-password "$(random)"
secret 1000 database-url "postgres://oppslag:$(cat "$folder/database-password")@database:5432/oppslag"
for redis in cache queue; do
  secret 999 "$redis-redis-password" "$(random)"
  secret 1000 "$redis-redis-url" "redis://:$(cat "$folder/$redis-redis-password")@$redis:6379"
done
