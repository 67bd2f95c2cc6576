-- Creates where customers have changes sent, and what is sent there. Takes no time.
-- Works from: 0011

-- An address somebody has changes sent to. What is secret is computed of the salt and a secret of the installation, so that a row
-- alone signs nothing.
create table endepunkt (
  id text primary key check (id ~ '^ep_[0-9A-Za-z]{20}$'),
  -- As in overvaking: the chain of a key, or the id of a test key of one's own, which ends then.
  eier text not null check (eier ~ '^[0-9A-Za-z_-]{1,40}$'),
  prove boolean not null,
  eier_slutter_at timestamptz,
  adresse text not null,
  -- Null: all that is watched.
  typer text[],
  salt bytea not null check (length(salt) = 32),
  -- The one before signs too until then.
  forrige_salt bytea check (length(forrige_salt) = 32),
  forrige_til timestamptz,
  -- What came later is sent.
  fra_nr bigint not null,
  opprettet_at timestamptz not null default now(),
  -- eier: its owner wanted it so. borte: it answered 410. feilet: nothing was taken for 76 hours.
  av_at timestamptz,
  av_grunn text check (av_grunn in ('eier', 'borte', 'feilet')),
  -- No key of its owner is valid: nothing is sent until one is.
  hviler_fra timestamptz,
  -- Failures since the last success, the first of them, and before when nothing more is tried.
  feil integer not null default 0,
  feilet_fra timestamptz,
  neste_at timestamptz not null default now(),
  levert_at timestamptz,
  -- One process at a time sends there: whoever holds this number, until then.
  laas bigint not null default 0,
  laas_til timestamptz not null default '-infinity',
  check ((av_at is null) = (av_grunn is null)),
  check ((forrige_salt is null) = (forrige_til is null))
);

create index endepunkt_eier on endepunkt (eier);

-- One change to one endpoint. What is sent is read from the log each time, so that nothing of a company is kept here.
create table levering (
  id bigint generated always as identity primary key,
  endepunkt text not null references endepunkt (id) on delete cascade,
  -- Its number in the log; null: a test, of no company.
  endring bigint,
  orgnr integer,
  type text not null,
  laget_at timestamptz not null default now(),
  tilstand text not null default 'venter' check (tilstand in ('venter', 'levert', 'oppgitt')),
  -- Attempts that came to an answer or to none, since it was made or asked for again, and the first of them.
  forsok integer not null default 0,
  begynt_at timestamptz,
  neste_at timestamptz not null default now(),
  ferdig_at timestamptz,
  -- The newest attempts: [{"tid": …, "ms": 81, "status": 500, "arsak": "status"}].
  logg jsonb not null default '[]',
  check ((endring is null) = (orgnr is null)),
  check ((ferdig_at is null) = (tilstand = 'venter'))
);

create unique index levering_en on levering (endepunkt, endring);
create index levering_endepunkt on levering (endepunkt, id);
create index levering_orgnr on levering (orgnr);
create index levering_neste on levering (endepunkt, neste_at) where tilstand = 'venter';
create index levering_rekke on levering (endepunkt, orgnr, endring) where tilstand = 'venter';
create index levering_ferdig on levering (ferdig_at) where ferdig_at is not null;

-- How far the log has been gone through for endpoints.
create table leveringspeker (
  en boolean primary key default true check (en),
  nr bigint not null
);

insert into leveringspeker (nr) select coalesce(max(nr), 0) from endring;

-- Mails that an endpoint was switched off.
alter table utboks
  drop constraint utboks_slag_check,
  add constraint utboks_slag_check check (slag in ('lever', 'trekk', 'kanseller', 'kvittering', 'lenke', 'erstatt', 'paaminn',
    'refunder', 'kreditnota', 'avslatt'));
