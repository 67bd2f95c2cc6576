-- Notes what was added to, changed in and taken from what is watched. Takes no time.
-- Works from: 0011

-- For the mail with the key in place of one that leaked: what its holder did not do stands there. The last of each company, for
-- thirty days, and so many of an owner.
create table overvaking_endret (
  eier text not null,
  orgnr integer not null check (orgnr between 0 and 999999999),
  hva text not null check (hva in ('lagt_til', 'endret', 'tatt_bort')),
  endret_at timestamptz not null,
  primary key (eier, orgnr)
);

create index overvaking_endret_orgnr on overvaking_endret (orgnr);
create index overvaking_endret_tid on overvaking_endret (endret_at);
