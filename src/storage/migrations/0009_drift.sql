-- Creates the tables of the operators' side: who they are, what they did, what they tuned, and what processes report. Takes no time.

create table operator (
  id text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
  navn text not null check (length(navn) between 1 and 80),
  rolle text not null check (rolle in ('lese', 'skrive')),
  -- SHA-256 of a token of 256 random bits.
  hash bytea not null unique check (length(hash) = 32),
  laget_at timestamptz not null,
  tilbakekalt_at timestamptz
);

create unique index operator_navn on operator (lower(navn)) where tilbakekalt_at is null;

-- SHA-256 of the value in the browser's cookie.
create table operator_okt (
  hash bytea primary key check (length(hash) = 32),
  operator text not null references operator (id),
  utloper_at timestamptz not null
);

create index operator_okt_utloper on operator_okt (utloper_at);

-- Everything an operator has changed. No key and nothing of a person: `gjelder` is an id, a number or a name of ours.
create table operator_spor (
  nummer bigint generated always as identity primary key,
  gjort_at timestamptz not null,
  hvem text not null,
  handling text not null,
  gjelder text,
  hvorfor text not null,
  utfall text not null
);

create index operator_spor_gjelder on operator_spor (gjelder, nummer) where gjelder is not null;

-- What is tuned while the service runs. The newest row holds; a value that is not in it is as the program has it.
create table stilling (
  versjon integer primary key check (versjon > 0),
  verdier jsonb not null,
  hvem text not null,
  hvorfor text not null,
  satt_at timestamptz not null
);

create function meld_stilling_endret() returns trigger language plpgsql as $$
begin
  perform pg_notify('stilling_endret', '');
  return null;
end $$;

create trigger stilling_endret after insert or update or delete on stilling for each statement
  execute function meld_stilling_endret();

-- Every process that is alive, and what it last said of itself.
create table prosess (
  id uuid primary key,
  slag text not null check (slag in ('front', 'arbeider', 'alt')),
  versjon text not null,
  startet_at timestamptz not null,
  sett_at timestamptz not null,
  sammendrag jsonb not null
);

-- What each process counted in each minute, for a day.
create table maaling (
  minutt timestamptz not null,
  prosess uuid not null,
  verdier jsonb not null,
  primary key (minutt, prosess)
);

-- The newest events of the registers' feeds that touched something that was held.
create table feed_hendelse (
  nummer bigint generated always as identity primary key,
  foretak text not null check (foretak ~ '^[0-9]{9}$'),
  seksjoner text[] not null,
  lest_at timestamptz not null
);

create index feed_hendelse_foretak on feed_hendelse (foretak, nummer desc);
