-- Creates the tables for SSB's industry codes. The service fills them itself, from SSB KLASS.

create table naeringskode_korrespondanse (
  sn2025 text not null,
  sn2025_navn text not null,
  sn2007 text not null,
  sn2007_navn text not null,
  primary key (sn2025, sn2007)
);

create table naeringskode (
  kodeverk text not null check (kodeverk in ('sn2025', 'sn2007')),
  kode text not null,
  navn text not null,
  primary key (kodeverk, kode)
);

-- One row at most: what the two tables above hold, and since when. A code list that was not to be had is not an empty one.
create table naeringskode_lasting (
  eneste boolean primary key default true check (eneste),
  lastet_at timestamptz not null,
  har_sn2025 boolean not null,
  har_sn2007 boolean not null
);
