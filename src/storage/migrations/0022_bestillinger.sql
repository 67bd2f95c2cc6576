-- Creates the tables of the lists of numbers that keys have handed in. Takes no time.
-- Works from: 0011

-- A key's list, until it is seven days old, its key ends or it is taken back. What was found is nowhere here: it is in the cache.
create table bestilling (
  id text primary key check (id ~ '^[0-9a-f]{32}$'),
  -- A key's id. Test keys are in no table, so this refers to none.
  nokkel text not null check (nokkel ~ '^[0-9A-Za-z]{12}$'),
  -- Of invented companies: its key is a test key, which is in no table.
  prove boolean not null,
  -- SHA-256 of the Idempotency-Key, and of what came with it.
  idempotens bytea not null check (length(idempotens) = 32),
  innhold bytea not null check (length(innhold) = 32),
  -- Null: all of each company.
  felt text[],
  linjer integer not null check (linjer > 0),
  dubletter integer not null,
  deler integer not null check (deler > 0),
  -- Parts that are gone through, in their order.
  gjort integer not null default 0 check (gjort <= deler),
  foretak integer not null default 0,
  feil integer not null default 0,
  ufullstendige integer not null default 0,
  -- Of the part that is next: how often most of it could not be had, and when it is looked at again.
  forsok integer not null default 0,
  neste_at timestamptz not null,
  mottatt_at timestamptz not null,
  begynt_at timestamptz,
  ferdig_at timestamptz check (ferdig_at is null or gjort = deler),
  slettes_at timestamptz not null,
  unique (nokkel, idempotens)
);

create index bestilling_slettes on bestilling (slettes_at);
create index bestilling_neste on bestilling (neste_at) where ferdig_at is null;

create table bestilling_del (
  bestilling text not null references bestilling (id) on delete cascade,
  nr integer not null,
  -- In the order they came. 0: what stood there is no number, and is in `oppgitt` by its place; -1: it was removed since.
  numre integer[] not null,
  oppgitt jsonb,
  primary key (bestilling, nr)
);
