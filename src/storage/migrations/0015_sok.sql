-- Creates the tables of the search index. Empty afterwards; takes no time. The worker fills them from the register's bulk files.
-- Works from: 0011
-- An index is built beside the one that is read, in tables of the same names with `_ny`, and takes its place in one transaction.

create table sok_foretak (
  orgnr integer not null,
  -- Of a sub-unit: whose it is.
  overordnet integer,
  er_underenhet boolean not null,
  navn text,
  form text,
  form_tekst text,
  kommunenummer text,
  kommune text,
  poststed text,
  -- The register's codes, the main one first.
  naeringskoder text[] not null,
  naering_tekst text,
  ansatte integer,
  ansatte_opplysning text not null,
  foretakstilstand text,
  registrert date,
  underenheter integer not null,
  -- The points of what it is, whatever is asked.
  tyngde smallint not null
);

-- One row for each name of a company: its name, those it had, what everybody calls it, its initials.
create table sok_navn (
  orgnr integer not null,
  overordnet integer,
  art text not null check (art in ('navn', 'tidligere', 'kortnavn', 'initialer')),
  navn text not null,
  -- Folded and run together, and its words.
  nokkel text collate "C" not null,
  ord text[] collate "C" not null,
  tyngde smallint not null,
  -- Of names that begin alike, the highest first.
  rang smallint not null,
  opphort boolean not null,
  fra date,
  til date
);

create table sok_kontakt (
  orgnr integer not null,
  -- The company itself, of a sub-unit the one it belongs to: a host of three or more of these is shared.
  rot integer not null,
  art text not null check (art in ('nettsted', 'epost', 'telefon')),
  nokkel text collate "C" not null
);

-- Every word of the names, to be found by its beginning, its end and its likeness.
create table sok_ord (
  ord text collate "C" not null,
  bakfra text collate "C" not null,
  antall integer not null,
  tyngde smallint not null
);

-- Which index is read, and how far the next one has come.
create table sok_bygg (
  er_den_ene boolean primary key default true check (er_den_ene),
  -- Of the index that is read; null while there is none. `filer_at`: when its files were asked for.
  bygget_at timestamptz,
  filer_at timestamptz,
  enheter_etag text,
  underenheter_etag text,
  enheter integer,
  underenheter integer,
  navn integer,
  sekunder integer,
  -- Of the one that is being built. `lest`: units of the phase that are in its tables.
  utgave integer not null default 0,
  fase text check (fase in ('underenheter', 'enheter', 'ordner', 'bytter')),
  lest integer not null default 0,
  uleselige integer not null default 0,
  ny_filer_at timestamptz,
  ny_enheter_etag text,
  ny_underenheter_etag text,
  ny_underenheter integer,
  startet_at timestamptz,
  flyttet_at timestamptz,
  feil text,
  feil_at timestamptz
);
insert into sok_bygg default values;

-- Units that changed since a bulk file may have been made: those without `lest_at` are to be read and indexed anew.
create table sok_endring (
  orgnr integer primary key,
  er_underenhet boolean not null,
  endret_at timestamptz not null,
  lest_at timestamptz
);
create index sok_endring_uleste on sok_endring (endret_at) where lest_at is null;
