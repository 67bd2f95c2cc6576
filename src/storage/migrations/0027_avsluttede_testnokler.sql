-- Creates the table of test keys that were ended before their time. Takes no time.
-- Works from: 0011

-- Test keys are in no table; of one that its holder has ended its id stands here, until it would have expired.
create table avsluttet_testnokkel (
  id text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
  avsluttet_at timestamptz not null,
  utloper_at timestamptz not null
);

create index avsluttet_testnokkel_utloper on avsluttet_testnokkel (utloper_at);

-- Whoever remembers keys is told, as of the others.
create trigger testnokkel_avsluttet after insert on avsluttet_testnokkel for each row
  execute function meld_nokkel_endret();
