-- Creates the table of the sessions that keys have in browsers. Takes no time.
-- Works from: 0011

-- SHA-256 of the value in the browser's cookie. The key itself is nowhere: what may be read is decided by its id at each use.
create table nokkel_okt (
  hash bytea primary key check (length(hash) = 32),
  nokkel text not null references api_nokkel (id) on delete cascade,
  begynt_at timestamptz not null,
  utloper_at timestamptz not null
);

create index nokkel_okt_utloper on nokkel_okt (utloper_at);
create index nokkel_okt_nokkel on nokkel_okt (nokkel, begynt_at);
