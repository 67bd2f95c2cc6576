-- Remembers the shapes of the registers' answers, night by night. Takes no time.
-- Works from: 0011

-- The last sixty runs. `natt` is the night a worker took; null for a run an operator asked for. `resultat` has the paths and
-- types of the answers and what differs from what is expected: no value of any answer is in it. Null: it has not ended.
-- `nytt` counts what somebody should look at; null where no register was reached.
create table kanari (
  nummer bigint generated always as identity primary key,
  natt date unique,
  startet_at timestamptz not null,
  ferdig_at timestamptz,
  resultat jsonb,
  nytt jsonb
);
