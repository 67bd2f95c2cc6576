-- Creates the table of API keys. Empty afterwards; takes no time.

create table api_nokkel (
  id text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
  miljo text not null check (miljo in ('live', 'test')),
  epost text not null,
  -- The argon2id string with its parameters. The key itself is stored nowhere.
  hash text not null check (hash like '$argon2id$%'),
  utstedt_at timestamptz not null,
  -- The first instant at which the key is no longer valid.
  utloper_at timestamptz not null check (utloper_at > utstedt_at),
  tilbakekalt_at timestamptz
);

create index api_nokkel_utstedt on api_nokkel (utstedt_at desc, id desc);
