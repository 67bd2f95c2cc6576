-- Creates the log of what changed, who watches which companies, and what those were when last seen. Takes no time.
-- Works from: 0011

-- What became otherwise, oldest first. Written by one at a time, who holds a lock until the commit: the numbers become visible in
-- their order, so that whoever has read up to one misses none below it.
create table endring (
  nr bigint generated always as identity primary key,
  orgnr integer not null,
  -- The part of the record, and the kind of change.
  seksjon text not null,
  type text not null,
  -- [{"felt": "/status/data/konkurs/gjelder", "for": false, "etter": true}]: the address in the record, and both values. Of an
  -- item in a list the address is the list's, and what it was or became is the whole item; null: it was not there.
  felt jsonb not null,
  -- Other companies that are named in it: when one of them is removed, this goes as well.
  nevner integer[],
  -- The register's own event, "enheter:123456", and when it says that was; null: found by looking.
  hendelse text,
  hendelse_at timestamptz,
  -- The last look at which it still was as before, and the first at which it was not.
  forrige_at timestamptz not null,
  sett_at timestamptz not null,
  -- By PostgreSQL's own clock: how long it is kept.
  skrevet_at timestamptz not null default now(),
  -- Of an invented company.
  prove boolean not null
);

create index endring_orgnr on endring (orgnr, nr);
create index endring_nevner on endring using gin (nevner) where nevner is not null;

-- How far the log has been taken away for its age: whoever has read less far has missed something. One row, or none.
create table endring_borte (
  en boolean primary key default true check (en),
  til_nr bigint not null
);

-- What a company was when it was last seen, an answer at a time. Moves in the same transaction as the changes it gives rise to.
create table grunnlag (
  prove boolean not null,
  orgnr integer not null,
  kilde text not null,
  -- The facts as JSON, packed, and their hash.
  fakta bytea not null,
  avtrykk bytea not null check (length(avtrykk) = 16),
  nevner integer[],
  sett_at timestamptz not null,
  -- Nobody watches it: kept for a while, so that two processes that see the same change write it once.
  gjelder_til timestamptz,
  primary key (prove, orgnr, kilde)
);

create index grunnlag_nevner on grunnlag using gin (nevner) where nevner is not null;
create index grunnlag_gjelder_til on grunnlag (gjelder_til) where gjelder_til is not null;

-- Who watches what. `eier`: the chain of a key, which outlives its replacement, or the id of a test key of one's own.
create table overvaking (
  eier text not null check (eier ~ '^[0-9A-Za-z_-]{1,40}$'),
  orgnr integer not null,
  prove boolean not null,
  -- What its owner calls it, and the types wanted; null: all.
  navn text,
  typer text[],
  -- What came later is told.
  fra_nr bigint not null,
  epost text check (epost in ('straks', 'daglig')),
  opprettet_at timestamptz not null,
  primary key (eier, orgnr)
);

create index overvaking_orgnr on overvaking (orgnr);
create index overvaking_epost on overvaking (orgnr) where epost is not null;

-- When each watched company is looked at next for what the feeds do not tell.
create table blikk (
  orgnr integer primary key,
  neste_at timestamptz not null
);

create index blikk_neste on blikk (neste_at);

-- The register's last event about an answer of a watched company, until that has been fetched anew.
create table registerhendelse (
  orgnr integer not null,
  kilde text not null,
  hendelse text not null,
  hendelse_at timestamptz not null,
  lest_at timestamptz not null,
  primary key (orgnr, kilde)
);

create index registerhendelse_lest on registerhendelse (lest_at);
