-- Makes a place for what became of single requests. Empty afterwards; takes no time.
-- Works from: 0011

-- The newest, for some days. Names no company, no key and no person.
create table forespoersel (
  nummer bigint generated always as identity primary key,
  id text not null,
  at timestamptz not null,
  -- Who answered it: the process, what it is and its release.
  prosess text not null,
  slag text not null,
  versjon text not null,
  historie jsonb not null
);
create index forespoersel_id on forespoersel (id);
create index forespoersel_at on forespoersel (at);
