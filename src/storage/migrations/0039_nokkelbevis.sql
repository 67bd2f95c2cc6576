-- Remembers that a key was proved, where no Redis does. Empty afterwards; takes no time.
-- Works from: 0011

create table nokkelbevis (
  nokkel text primary key references api_nokkel (id) on delete cascade,
  -- An HMAC of the key's text under its hash.
  bevis text not null check (bevis ~ '^[0-9A-Za-z_-]{43}$')
);
