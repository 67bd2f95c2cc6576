-- Creates the tables of the change feeds and of removed companies. Empty afterwards; takes no time.

-- One row per feed that has been followed: how far, and who follows it now.
create table feed_posisjon (
  feed text primary key,
  -- The last event whose work is durable. Without an id: where to begin is known by time only. Without both: not begun.
  siste_id text check (siste_id <> ''),
  siste_at timestamptz,
  flyttet_at timestamptz,
  -- Rises each time somebody takes the lease, so that whoever had it before can be told from whoever has it now.
  leienummer integer not null,
  leid_av text not null,
  leid_til timestamptz not null,
  check (siste_id is null or siste_at is not null)
);

-- Companies taken out of the open registers on legal grounds. Nothing else may be known of them, and the row stays.
create table fjernet (
  organisasjonsnummer text primary key check (organisasjonsnummer ~ '^[0-9]{9}$'),
  -- Rises with every removal, in the order they became visible.
  nummer bigint not null unique,
  slettedato date,
  fjernet_at timestamptz not null,
  -- The places the company has been erased from since then.
  utvisket_fra text[] not null default '{}'
);

create sequence fjernet_nummer owned by fjernet.nummer;
