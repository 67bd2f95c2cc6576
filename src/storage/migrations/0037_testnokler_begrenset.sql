-- Numbers test keys that were ended, and finds what test keys watch. Takes a second or two.
-- Works from: 0011

-- Whoever remembers them reads what has come since: with all of them in hand they were read again each time one was ended.
alter table avsluttet_testnokkel add column nr bigint generated always as identity;
create unique index avsluttet_testnokkel_nr on avsluttet_testnokkel (nr);

-- Of those there are so many in all.
create index overvaking_prove on overvaking (opprettet_at) where prove;
