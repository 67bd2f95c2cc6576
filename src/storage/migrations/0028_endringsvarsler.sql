-- Creates what is to be mailed of changes, and how far the log has been gone through for it. Takes no time.
-- Works from: 0011

-- How far the log has been gone through for those who want mails. One row, or none: from the beginning.
create table varsel_stilling (
  en boolean primary key default true check (en),
  nr bigint not null
);

-- Lines of the log that somebody is to be mailed of, until they are. What is wanted later changes nothing of it.
create table varsel_linje (
  eier text not null,
  slag text not null check (slag in ('straks', 'daglig')),
  nr bigint not null,
  primary key (eier, slag, nr)
);

create table varsel (
  eier text not null,
  slag text not null check (slag in ('straks', 'daglig')),
  -- When the next mail is due, or whoever has it now is taken for dead; null: there is nothing to mail.
  neste_at timestamptz,
  -- How far a mail goes that may have gone: it is sent again as it was, under the same name. Null: none is under way.
  til_nr bigint,
  -- Attempts at this mail, and mails in a row that the address has refused.
  forsok integer not null default 0,
  avvist integer not null default 0,
  -- Mails sent on this day in Norway.
  dag date,
  antall integer not null default 0,
  primary key (eier, slag)
);

create index varsel_neste on varsel (neste_at) where neste_at is not null;
