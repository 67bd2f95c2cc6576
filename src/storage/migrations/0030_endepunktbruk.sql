-- Creates the count of what each owner of endpoints has asked to be sent. Takes no time.
-- Works from: 0011

-- Tests, and what is sent again, in the hour from then. It is the owner's and not an endpoint's: one that is deleted and made anew
-- begins no new hour.
create table endepunktbruk (
  eier text primary key,
  fra timestamptz not null,
  prover integer not null default 0,
  igjen integer not null default 0
);
