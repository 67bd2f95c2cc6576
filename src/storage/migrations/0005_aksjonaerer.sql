-- Creates the tables of the shareholder register and of who is hidden in it. Empty afterwards; takes no time.
-- Organisation numbers are integers here, nine digits as everywhere else: fifty million rows are paid for by the byte.

-- One delivery of one year's register. Readers look up which delivery is the year's, then read by its id: making a new
-- delivery the year's is one row here, and a reader sees the old year or the new one, never some of each.
create table aksjeleveranse (
  id integer generated always as identity primary key,
  -- The holdings are those of 31 December of this year.
  aar integer not null check (aar between 2002 and 2200),
  tilstand text not null check (tilstand in ('lastes', 'gjeldende', 'erstattet')),
  kilde text not null,
  uttrekksdato date,
  -- Of the file's bytes as text, unpacked.
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  overskrift text,
  rader bigint,
  avviste bigint,
  selskaper integer,
  eierforhold bigint,
  startet_at timestamptz not null default now(),
  gjeldende_at timestamptz,
  -- Since then no new reader begins in it.
  erstattet_at timestamptz,
  check (tilstand = 'lastes' or (sha256 is not null and rader is not null and gjeldende_at is not null))
);

create unique index aksjeleveranse_gjeldende on aksjeleveranse (aar) where tilstand = 'gjeldende';

-- One company's share book in one delivery, with its largest holders.
create table aksjebok (
  leveranse integer not null,
  orgnr integer not null,
  navn text,
  -- As the company reported it, over all classes; null when it is missing or zero.
  aksjer_totalt bigint,
  -- What its holders have together.
  aksjer_sum bigint not null,
  -- Holders, each counted once however many rows and classes it has.
  innehavere integer not null,
  -- The names of the classes, in the order `a` in the holders' lists counts them.
  klasser text[] not null,
  -- The 200 largest holders, largest first; ties by the order they have in the file:
  --   n name, f year of birth, o organisation number, l country (two letters), a [[class, shares], …]
  -- What is not known is left out. Places are not kept: nothing shows them.
  -- Read whole or not at all, so kept as text: json is loaded in 40 % of the time of jsonb, and takes 70 % of its room.
  storste json not null,
  primary key (leveranse, orgnr)
) partition by list (leveranse);

-- The holders after the 200 largest, 500 in each part, in the same order and shape.
create table aksjebok_del (
  leveranse integer not null,
  orgnr integer not null,
  del integer not null,
  innehavere json not null,
  primary key (leveranse, orgnr, del)
) partition by list (leveranse);

-- Which companies hold shares in which, over all classes. A company's own shares are in its share book, not here.
create table eierandel (
  leveranse integer not null,
  eier integer not null,
  eid integer not null,
  aksjer bigint not null,
  primary key (leveranse, eier, eid)
) partition by list (leveranse);

-- Who is not to be shown as a holder, in any year, whatever is imported later. Written by an operator.
create table skjult_person (
  id integer generated always as identity primary key,
  -- Upper case, spaces folded: as names are compared.
  navn text not null check (navn <> ''),
  fodselsaar integer not null check (fodselsaar between 1850 and 2200),
  -- In this company alone; null is everywhere.
  orgnr integer,
  skjult_at timestamptz not null default now(),
  unique nulls not distinct (navn, fodselsaar, orgnr)
);
